/** The words with which WhatsApp writes its own texts in one language; alternatives are parted by "|". */
export interface PhoneWords {
  /** Whether words are written without spaces. */
  readonly isJoined?: boolean;
  readonly message: string;
  readonly deleted: string;
  readonly edited: string;
  /** What may be omitted, with adjectives. */
  readonly media: string;
  readonly omitted: string;
  /** Small words that stand between the others. */
  readonly small: string;
  /** Whole texts in place of a message: missed calls, live locations, messages to be seen once or not here yet. */
  readonly notes: string;
}

/** By language. A text is WhatsApp’s own only if all of it is made of these words. */
export const PHONE_WORDS: Readonly<Record<string, PhoneWords>> = {
  en: {
    message: 'message',
    deleted: 'deleted by admin .{1,60}|deleted|removed',
    edited: 'edited',
    media:
      'media|image|photo|picture|video|audio|voice|sticker|gif|document|file|contact|card|note|view once|message',
    omitted: 'omitted|excluded|not included',
    small: 'this|was|has|been|you|have|is|by|an|the',
    notes:
      'missed (?:group )?(?:voice |video )call(?: no answer| tap to call back)?|live location shared|waiting for this message.{0,80}|view once (?:message|photo|video)|you received a view once message',
  },
  es: {
    message: 'mensaje',
    deleted: 'eliminó|eliminaste|eliminado|eliminada|borró|borraste|borrado',
    edited: 'editado|editó|editaste|editada',
    media:
      'multimedia|medios|archivos?|imagen|foto|video|vídeo|audio|nota de (?:voz|video|vídeo)|sticker|gif|documento|tarjeta de contacto|contacto|nota',
    omitted: 'omitid[oa]s?|excluid[oa]s?|no incluid[oa]s?',
    small: 'se|este|ese|fue|ha|sido|has|por|un|una|el|la|administrador',
    notes:
      'llamada perdida|(?:video)?llamada(?: grupal)? perdida|llamada de voz perdida|(?:video|vídeo)llamada perdida|llamada perdida de (?:voz|grupo|video)|ubicación en tiempo real compartida|esperando este mensaje.{0,80}|esperando el mensaje.{0,80}|mensaje de visualización única',
  },
  pt: {
    message: 'mensagem',
    deleted: 'apagada|apagou|apagaste|eliminada|eliminou|eliminaste|excluída',
    edited: 'editada|editou|editaste',
    media:
      'mídia|média|multimédia|arquivos?(?: de mídia)?|ficheiros?(?: de multimédia)?|imagem|foto|vídeo|áudio|figurinha|autocolante|sticker|gif|documento|cartão do? contato|contacto?|contato|nota de (?:voz|vídeo)',
    omitted: 'ocult[oa]s?|ocultad[oa]s?|omitid[oa]s?|não revelad[oa]s?|não incluíd[oa]s?|excluíd[oa]s?',
    small: 'esta|essa|foi|você|por|um|uma|a|o|de|administrador',
    notes:
      '(?:chamada|ligação) (?:de (?:voz|vídeo) |em grupo )?perdida|localização em tempo real (?:compartilhada|partilhada)|aguardando mensagem.{0,80}|a aguardar (?:esta )?mensagem.{0,80}|mensagem de visualização única',
  },
  fr: {
    message: 'message',
    deleted: 'supprimé|supprimée|effacé',
    edited: 'modifié|modifiée',
    media:
      'médias?|fichiers?(?: multimédias?)?|image|photo|vidéo|audio|sticker|gif|document|fiche contact|carte de contact|note (?:vocale|vidéo)',
    omitted: 'omis|omise|omises|absente?s?|exclus?e?s?|non inclus?e?s?',
    small: 'ce|cet|cette|a|été|vous|avez|tu|as|par|un|une|le|la',
    notes:
      'appel (?:vocal|vidéo|audio)(?: de groupe)? manqué|appel manqué|position en direct partagée|localisation en direct partagée|en attente de ce message.{0,80}|en attente du message.{0,80}|message à vue unique',
  },
  de: {
    message: 'nachricht',
    deleted: 'gelöscht',
    edited: 'bearbeitet',
    media:
      'medien|mediendatei(?:en)?|datei|bild|foto|video|videonotiz|videonachricht|audio|sprachnachricht|sticker|gif|dokument|kontaktkarte|kontakt',
    omitted: 'weggelassen|ausgeschlossen|ausgelassen|nicht enthalten',
    small: 'diese|wurde|du|hast|sie|haben|von|einem|admin|ist',
    notes:
      'verpasster? (?:sprach|video|gruppen)?anruf|verpasster (?:gruppen-)?(?:sprach|video)anruf|live-standort (?:wird )?geteilt|warte auf diese nachricht.{0,80}|warten auf diese nachricht.{0,80}|einmalansicht',
  },
  it: {
    message: 'messaggio',
    deleted: 'eliminato|cancellato',
    edited: 'modificato',
    media:
      'media|file(?: multimediali)?|immagine|foto|video|videomessaggio|audio|sticker|gif|documento|scheda contatto|contatto|nota (?:vocale|video)',
    omitted: 'omess[oaie]|esclus[oaie]|non inclus[oaie]',
    small: 'questo|è|stato|hai|ha|da|un|il',
    notes:
      '(?:video)?chiamata(?: vocale| video| di gruppo)? persa|posizione in tempo reale condivisa|in attesa del messaggio.{0,80}|in attesa di questo messaggio.{0,80}|messaggio visualizzabile una volta',
  },
  nl: {
    message: 'bericht',
    deleted: 'verwijderd',
    edited: 'bewerkt',
    media:
      'media|mediabestand(?:en)?|bestand|afbeelding|foto|video|videobericht|audio|spraakbericht|sticker|gif|document|contactkaart|contact',
    omitted: 'weggelaten|uitgesloten|niet inbegrepen|niet bijgevoegd',
    small: 'dit|deze|is|was|werd|u|je|jij|hebt|heeft|door|een|beheerder',
    notes:
      'gemiste (?:groeps)?(?:spraak|video)? ?oproep|(?:spraak|video)oproep gemist|live locatie gedeeld|live-locatie gedeeld|wachten op (?:dit )?bericht.{0,80}|eenmalig te bekijken bericht',
  },
  tr: {
    message: 'mesaj|mesajı|ileti',
    deleted: 'silindi|sildiniz|sildin|silinmiş|tarafından silindi',
    edited: 'düzenlendi|düzenlediniz|düzenledin',
    media:
      'medya|medyalar|dosya|görüntü|resim|fotoğraf|video|video notu|ses|ses dosyası|çıkartma|gif|belge|kişi kartı|kartvizit',
    omitted: 'dahil edilmedi|atlanmış|atlandı|hariç tutuldu|çıkarıldı',
    small: 'bu|bir|yönetici',
    notes:
      'cevapsız (?:grup )?(?:sesli|görüntülü)? ?arama|canlı konum paylaşıldı|bu mesaj bekleniyor.{0,80}|tek seferlik görüntülenen mesaj|tek seferlik mesaj',
  },
  ru: {
    message: 'сообщение',
    deleted: 'удалено|удалили|удалил|удалила|удалён[оа]?',
    edited: 'изменено|отредактировано|изменили',
    media:
      'медиафайл|медиафайлов|медиафайлы|медиа|файл|изображение|фото|видео|видеосообщение|аудио|аудиофайл|стикер|gif|документ|карточка контакта|контакт',
    omitted: 'пропущены?|пропущен[оа]?|опущены?|опущен[оа]?|без|не включ[её]н[оаы]?|отсутствует',
    small: 'данное|это|вы|был[оа]?|администратором',
    notes:
      'пропущенный (?:групповой )?(?:аудио|видео)?звонок|трансляция геоданных|отправлена трансляция геоданных|ожидание сообщения.{0,80}|ожидание данного сообщения.{0,80}|одноразовое сообщение',
  },
  id: {
    message: 'pesan',
    deleted: 'dihapus|menghapus|terhapus',
    edited: 'diedit|mengedit',
    media: 'media|berkas|file|gambar|foto|video|catatan video|audio|stiker|gif|dokumen|kartu kontak|kontak',
    omitted: 'tidak disertakan|dihilangkan|tidak termasuk|dikecualikan',
    small: 'ini|telah|anda|kamu|oleh|admin|sudah',
    notes:
      'panggilan (?:suara|video|grup)? ?(?:grup )?(?:tak|tidak) terjawab|lokasi terkini dibagikan|menunggu pesan ini.{0,80}|pesan sekali lihat',
  },
  ms: {
    message: 'mesej',
    deleted: 'dipadam|dipadamkan|memadam|memadamkan',
    edited: 'diedit|disunting|mengedit',
    media: 'media|fail|imej|gambar|foto|video|nota video|audio|pelekat|gif|dokumen|kad kenalan|kenalan',
    omitted: 'ditinggalkan|disingkirkan|dikeluarkan|dikecualikan|tidak disertakan|diabaikan',
    small: 'ini|telah|anda|oleh|pentadbir|sudah',
    notes:
      'panggilan (?:suara|video)? ?(?:terlepas|tidak dijawab)|lokasi langsung dikongsi|menunggu mesej ini.{0,80}',
  },
  ar: {
    message: 'الرسالة|رسالة',
    deleted: 'حذف|حُذفت|حذفت|حذفتَ|محذوفة|بحذف',
    edited: 'تعديل|عُدّلت|تعديلها',
    media:
      'الوسائط|وسائط|الملفات?|ملف|صورة|الصورة|فيديو|الفيديو|مقطع فيديو|صوت|الصوت|ملصق|الملصق|gif|مستند|المستند|بطاقة جهة اتصال',
    omitted: 'استبعاد|استبعد|محذوفة|حُذفت|محذوف|تم حذف|غير مرفقة?|لم يتم تضمين|مستبعدة?',
    small: 'تم|هذه|لقد|قمت|أنت|قام|من|قبل|المشرف|المسؤول',
    notes:
      'مكالمة (?:صوتية |فيديو |جماعية )?فائتة|مكالمة (?:صوتية|فيديو) لم يتم الرد عليها|تمت مشاركة الموقع المباشر|في انتظار هذه الرسالة.{0,80}|رسالة للعرض مرة واحدة',
  },
  hi: {
    message: 'मैसेज|संदेश|सन्देश',
    deleted: 'डिलीट|हटा|हटाया|मिटा|मिटाया|डिलीट किया|हटा दिया|मिटा दिया',
    edited: 'एडिट|संपादित|बदला|एडिट किया',
    media: 'मीडिया|फ़ाइल|फाइल|फ़ोटो|फोटो|चित्र|इमेज|वीडियो|ऑडियो|स्टिकर|gif|दस्तावेज़|डॉक्यूमेंट|कॉन्टैक्ट कार्ड|संपर्क',
    omitted: 'छोड़ा|छोड़ दिया|के बिना|हटाया|हटाई गई|शामिल नहीं|शामिल नहीं है|नहीं जोड़ा',
    small: 'यह|ये|इस|को|आपने|गया|गई|है|था|थी|दिया|किया|कर|द्वारा|एडमिन|ने|के',
    notes:
      'मिस्ड (?:ग्रुप )?(?:वॉइस|वॉयस|वीडियो)? ?कॉल|छूटी हुई (?:वॉइस|वॉयस|वीडियो)? ?कॉल|लाइव लोकेशन शेयर की गई|इस मैसेज का इंतज़ार है.{0,80}',
  },
  zh: {
    isJoined: true,
    message: '消息|訊息|讯息|信息',
    deleted: '删除|刪除|撤回|收回',
    edited: '编辑|編輯|修改',
    media:
      '多媒体|多媒體|媒体|媒體|文件|檔案|档案|檔|图片|圖片|图像|圖像|照片|相片|视频|視頻|影片|音频|音訊|语音|語音|贴图|貼圖|动图|表情|gif|文档|联系人|聯絡人|名片|卡片',
    omitted: '省略|忽略|略過|略过|排除|未包含|已忽略|不包含',
    small: '此|这|這|条|則|则|已|被|了|您|你|由|管理员|管理員|将|該|该|经|經|本|的',
    notes:
      '未接(?:群组|群組)?(?:语音|語音|视频|視訊|視像)?(?:来电|來電|通话|通話)|已分享实时位置|已分享即時位置|正在等待此消息.{0,80}|正在等待此訊息.{0,80}',
  },
  ja: {
    isJoined: true,
    message: 'メッセージ',
    deleted: '削除|取り消|取消',
    edited: '編集',
    media:
      'メディア|ファイル|画像|写真|動画|ビデオ|オーディオ|音声|スタンプ|ステッカー|gif|書類|ドキュメント|文書|連絡先|カード',
    omitted: '省略|含まれていません|除外|除く|なし|無し|含まず',
    small: 'この|は|が|を|あなた|さ|れ|し|ました|済み|管理者|によって|により|され|た|の',
    notes:
      '不在着信|(?:音声|ビデオ|グループ)(?:通話)?の?不在着信|不在の?(?:音声|ビデオ)通話|ライブ位置情報を共有しました|ライブロケーションを共有しました|メッセージを待機中.{0,80}',
  },
  ko: {
    isJoined: true,
    message: '메시지|메세지',
    deleted: '삭제|지웠|지워',
    edited: '수정|편집',
    media: '미디어|파일|이미지|사진|동영상|비디오|영상|오디오|음성|스티커|gif|문서|연락처|카드|및',
    omitted: '제외|생략|누락|포함되지 않음|포함 안 ?됨',
    small:
      '이|가|를|을|는|은|된|됨|되었습니다|됐습니다|했습니다|하였습니다|습니다|입니다|회원님|관리자|에 의해|에서|한|함|상태|어요|이었습니다',
    notes:
      '부재중 (?:그룹 )?(?:음성|영상)? ?(?:통화|전화)|실시간 위치(?:가)? 공유(?:됨|되었습니다)|이 메시지를 기다리는 중(?:입니다)?',
  },
  pl: {
    message: 'wiadomość|wiadomości',
    deleted: 'usunięta|usunięto|usunąłeś|usunęłaś|usunął|usunęła|usunięte',
    edited: 'edytowana|edytowano|zmieniona|edytowałeś|edytowałaś',
    media:
      'multimedia|media|plik|pliki|obraz|zdjęcie|wideo|film|notatka wideo|audio|dźwięk|naklejka|naklejkę|gif|dokument|karta kontaktu|kontakt',
    omitted: 'pominięto|pominięty|pominięta|pominięte|bez|wykluczono|nie dołączono',
    small: 'ta|tę|tą|ten|to|został[aoy]?|przez|administratora|administrator|ciebie',
    notes:
      'nieodebrane połączenie(?: głosowe| wideo| grupowe)?|udostępniono lokalizację na żywo|oczekiwanie na (?:tę )?wiadomość.{0,80}',
  },
  uk: {
    message: 'повідомлення',
    deleted: 'видалено|видалили|видалив|видалила',
    edited: 'змінено|відредаговано',
    media:
      'медіафайли|медіафайлів|медіафайл|медіа|файл|зображення|фото|відео|аудіо|стікер|наліпка|gif|документ|контакт',
    omitted: 'пропущено|без|не включено|відсутнє',
    small: 'це|ви|дане|було',
    notes: 'пропущений (?:голосовий |відео|аудіо)?(?:дзвінок|виклик)',
  },
  ro: {
    message: 'mesaj|mesajul',
    deleted: 'șters|ştears|ștearsă|şters',
    edited: 'editat',
    media:
      'media|fișiere(?: media)?|fișier|imagine|fotografie|video|audio|sticker|autocolant|gif|document|contact',
    omitted: 'omis[eă]?|excluse?|omise',
    small: 'acest|a|fost|ai',
    notes: 'apel (?:vocal|video)? ?(?:pierdut|nepreluat)',
  },
  cs: {
    message: 'zpráva|zprávu|správa|správu',
    deleted: 'smazána|odstraněna|smazali|odstranili|vymazána|smazal[ai]?|odstránená|vymazaná|odstránili',
    edited: 'upravena|upravená|upraveno',
    media: 'média|multimédia|soubor|súbor|obrázek|obrázok|fotka|video|audio|nálepka|gif|dokument|kontakt',
    omitted: 'vynechán[aoy]?|vynechané|vynechaný|vynecháno|bez',
    small: 'tato|táto|túto|tuto|byla|bola|jste|ste|jsi|si',
    notes: 'zmeškaný (?:hlasov[ýy] |video)?hovor',
  },
  hu: {
    message: 'üzenet|üzenetet',
    deleted: 'törölték|törölted|törölve|törölt|töröltél|töröltük',
    edited: 'szerkesztve|szerkesztették',
    media: 'média|médiafájl|fájl|kép|fénykép|videó|hang|matrica|gif|dokumentum|névjegy',
    omitted: 'kihagyva|mellőzve|kizárva|nélkül',
    small: 'ezt|az|ez|a|te',
    notes: 'nem fogadott (?:hang|videó)?hívás',
  },
  el: {
    message: 'μήνυμα|μηνύματος',
    deleted: 'διαγράφηκε|διαγράψατε|διέγραψες|διαγραφεί',
    edited: 'επεξεργάστηκε|τροποποιήθηκε|επεξεργασμένο',
    media: 'πολυμέσα|πολυμέσων|αρχείο|εικόνα|φωτογραφία|βίντεο|ήχος|αυτοκόλλητο|gif|έγγραφο|επαφή',
    omitted: 'παραλείφθηκαν|παραλείφθηκε|εξαιρέθηκαν|χωρίς',
    small: 'αυτό|το|τα|έχει',
    notes: 'αναπάντητη (?:φωνητική |βίντεο)?κλήση',
  },
  sv: {
    message: 'meddelande|meddelandet',
    deleted: 'raderades|raderade|raderats|togs bort|tog bort|har tagits bort',
    edited: 'redigerades|redigerats|redigerat',
    media: 'media|mediafil|mediefil|fil|bild|foto|video|ljud|dekal|gif|dokument|kontaktkort|kontakt',
    omitted: 'utelämna[dt]|uteslöts|utesluten|uteslutet|uteslöt|uteslöts|uteslutna',
    small: 'detta|det|här|du|har|av',
    notes: 'missat (?:röst|video)?samtal',
  },
  da: {
    message: 'besked|beskeden|melding|meldingen',
    deleted: 'slettet|slettede',
    edited: 'redigeret|redigert',
    media:
      'media|medier?|mediefil|fil|billede|bilde|foto|video|lyd|sticker|klistermærke|klistremerke|gif|dokument|kontaktkort|kontakt',
    omitted: 'udeladt|utelatt|udelukket|utelukket',
    small: 'denne|blev|ble|er|du|har|slettet|av|af',
    notes: 'ubesvaret (?:tale|video)?opkald|tapt (?:tale|video)?anrop|ubesvart (?:tale|video)?anrop',
  },
  fi: {
    message: 'viesti|viestin|viestiä',
    deleted: 'poistettiin|poistit|poistettu|on poistettu',
    edited: 'muokattu|muokattiin',
    media:
      'media|tiedosto|mediatiedosto|kuva|valokuva|video|ääni|äänite|tarra|gif|asiakirja|dokumentti|yhteystieto|yhteystietokortti',
    omitted: 'jätetty pois|jätettiin pois|poistettu|puuttuu',
    small: 'tämä|tämän|sinä|on|pois',
    notes: 'vastaamaton (?:ääni|video)?puhelu',
  },
  he: {
    message: 'הודעה|ההודעה|הודעה זו',
    deleted: 'נמחקה|מחקת',
    edited: 'נערכה',
    media: 'המדיה|מדיה|קובץ|תמונה|התמונה|סרטון|וידאו|שמע|סטיקר|מדבקה|gif|מסמך|איש קשר',
    omitted: 'נכללה|הושמטה?|הוסרה?|לא צורפה?|לא נכללה|לא נכלל',
    small: 'זו|זאת|לא|את|ה|הזו',
    notes: 'שיחה (?:קולית|שיחת וידאו)? ?(?:שלא נענתה|שהוחמצה)|שיחת (?:וידאו|קול) שלא נענתה',
  },
  fa: {
    message: 'پیام',
    deleted: 'حذف|پاک',
    edited: 'ویرایش',
    media: 'رسانه|فایل|تصویر|عکس|ویدیو|ویدئو|صدا|استیکر|برچسب|gif|سند|مخاطب',
    omitted: 'حذف|نادیده گرفته|گنجانده نشده|بدون',
    small: 'این|شد|شده|شما|را|کردید|است|کرد',
    notes: 'تماس (?:صوتی|تصویری)? ?بی[‌ ]?پاسخ',
  },
  ur: {
    message: 'پیغام|میسج',
    deleted: 'حذف|ڈیلیٹ',
    edited: 'ترمیم|ایڈٹ',
    media: 'میڈیا|فائل|تصویر|ویڈیو|آڈیو|اسٹیکر|gif|دستاویز',
    omitted: 'چھوڑ|خارج|شامل نہیں|کے بغیر|حذف',
    small: 'یہ|اس|کو|آپ|نے|کر|دیا|گیا|ہے|کیا|کی|گئی',
    notes: 'مس (?:وائس|ویڈیو)? ?کال',
  },
  bn: {
    message: 'মেসেজ|মেসেজটি|বার্তা|বার্তাটি',
    deleted: 'ডিলিট|মুছে|মুছেছেন',
    edited: 'এডিট|সম্পাদনা|সম্পাদিত',
    media: 'মিডিয়া|ফাইল|ছবি|ভিডিও|অডিও|স্টিকার|gif|ডকুমেন্ট',
    omitted: 'বাদ|ছাড়া',
    small: 'এই|এটি|আপনি|করা|করেছেন|দেওয়া|ফেলা|হয়েছে|হয়েছিল',
    notes: 'মিসড (?:ভয়েস|ভিডিও)? ?কল',
  },
  vi: {
    message: 'tin nhắn',
    deleted: 'xóa|xoá|bị xóa|bị xoá|thu hồi',
    edited: 'chỉnh sửa',
    media: 'media|tệp|tập tin|hình ảnh|ảnh|video|âm thanh|nhãn dán|gif|tài liệu|liên hệ|phương tiện|file',
    omitted: 'bỏ qua|lược bỏ|loại trừ|không bao gồm',
    small: 'này|đã|bạn|được|bị',
    notes: 'cuộc gọi (?:thoại |video )?nhỡ',
  },
  th: {
    isJoined: true,
    message: 'ข้อความ',
    deleted: 'ลบ',
    edited: 'แก้ไข',
    media: 'สื่อ|ไฟล์|รูปภาพ|ภาพ|วิดีโอ|เสียง|สติกเกอร์|gif|เอกสาร|รายชื่อติดต่อ',
    omitted: 'ละเว้น|ไม่รวม|ไม่มี|งดเว้น',
    small: 'นี้|ถูก|คุณ|ได้|แล้ว|โดย|ผู้ดูแล|ไว้|การ',
    notes: 'สายที่ไม่ได้รับ|(?:สายสนทนา|วิดีโอคอล)ที่ไม่ได้รับ',
  },
};
