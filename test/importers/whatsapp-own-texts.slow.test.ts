import { describe, expect, it } from 'vitest';
import { whatsAppImporter } from '../../src/importers/whatsapp/whatsapp.ts';
import { readAll, temporaryFolder, turnsOf } from './temporary-file.ts';

type Kind = 'deleted' | 'omitted' | 'note';
const REASONS: Readonly<Record<Kind, string>> = {
  deleted: 'a message that was deleted',
  omitted: 'a picture, recording or file that was not exported',
  note: 'a note of WhatsApp, such as who joined',
};

const OWN: Readonly<Record<string, Partial<Record<Kind | 'edited', readonly string[]>>>> = {
  English: {
    omitted: [
      '<Media omitted>',
      'image omitted',
      'video omitted',
      'audio omitted',
      'sticker omitted',
      'GIF omitted',
      'document omitted',
      'Contact card omitted',
      'video note omitted',
      '<View once voice message omitted>',
    ],
    deleted: [
      'This message was deleted',
      'You deleted this message',
      'This message was deleted.',
      'This message was deleted by admin Bo.',
    ],
    note: [
      'Missed voice call',
      'Missed video call',
      'Missed group video call',
      'Missed voice call. Tap to call back',
      'live location shared',
      'Waiting for this message. This may take a while.',
    ],
    edited: ['<This message was edited>', '<This message has been edited>'],
  },
  Spanish: {
    omitted: [
      '<Multimedia omitido>',
      '<Archivo omitido>',
      '<Medios omitidos>',
      'imagen omitida',
      'Video omitido',
      'audio omitido',
      'sticker omitido',
      'GIF omitido',
      'documento omitido',
      'Tarjeta de contacto omitida',
    ],
    deleted: [
      'Se eliminó este mensaje',
      'Eliminaste este mensaje',
      'Este mensaje fue eliminado',
      'Este mensaje ha sido eliminado.',
    ],
    note: [
      'Llamada perdida',
      'Llamada de voz perdida',
      'Videollamada perdida',
      'Videollamada grupal perdida',
    ],
    edited: ['<Se editó este mensaje.>', '<Este mensaje fue editado>', '<Editaste este mensaje>'],
  },
  Portuguese: {
    omitted: [
      '<Mídia oculta>',
      '<Arquivo de mídia oculto>',
      '<Multimédia omitida>',
      '<Ficheiro não revelado>',
      'imagem ocultada',
      'vídeo omitido',
      'áudio ocultado',
      'figurinha omitida',
      'documento omitido',
    ],
    deleted: [
      'Mensagem apagada',
      'Você apagou esta mensagem',
      'Essa mensagem foi apagada',
      'Esta mensagem foi eliminada',
      'Eliminou esta mensagem',
      'Apagaste esta mensagem',
    ],
    note: [
      'Chamada de voz perdida',
      'Ligação de vídeo perdida',
      'Aguardando mensagem. Essa ação pode levar alguns instantes.',
    ],
    edited: ['<Mensagem editada>', '<Esta mensagem foi editada>'],
  },
  French: {
    omitted: [
      '<Médias omis>',
      '<Fichier omis>',
      '<Média omis>',
      'image absente',
      'vidéo absente',
      'audio omis',
      'sticker omis',
      'document omis',
    ],
    deleted: ['Ce message a été supprimé', 'Vous avez supprimé ce message', 'Ce message a été supprimé.'],
    note: ['Appel vocal manqué', 'Appel vidéo manqué', 'Appel vocal de groupe manqué'],
    edited: ['<Ce message a été modifié>'],
  },
  German: {
    omitted: [
      '<Medien ausgeschlossen>',
      '<Medien weggelassen>',
      'Bild weggelassen',
      'Video weggelassen',
      'Audio weggelassen',
      'Sticker weggelassen',
      'Dokument weggelassen',
      'Kontaktkarte ausgelassen',
    ],
    deleted: [
      'Diese Nachricht wurde gelöscht.',
      'Du hast diese Nachricht gelöscht.',
      'Diese Nachricht wurde von einem Admin gelöscht',
    ],
    note: [
      'Verpasster Sprachanruf',
      'Verpasster Videoanruf',
      'Live-Standort wird geteilt',
      'Warte auf diese Nachricht. Dies kann eine Weile dauern.',
    ],
    edited: ['<Diese Nachricht wurde bearbeitet.>', '<Bearbeitet>'],
  },
  Italian: {
    omitted: [
      '<Media omessi>',
      '<Media esclusi>',
      '<File multimediali omessi>',
      'immagine omessa',
      'video omesso',
      'audio omesso',
      'sticker omesso',
      'documento omesso',
      'GIF esclusa',
    ],
    deleted: [
      'Questo messaggio è stato eliminato',
      'Hai eliminato questo messaggio',
      'Questo messaggio è stato eliminato.',
    ],
    note: ['Chiamata persa', 'Chiamata vocale persa', 'Videochiamata persa'],
    edited: ['<Questo messaggio è stato modificato>', '<Messaggio modificato>'],
  },
  Dutch: {
    omitted: [
      '<Media weggelaten>',
      '<Media uitgesloten>',
      'afbeelding weggelaten',
      'video weggelaten',
      'audio weggelaten',
      'sticker weggelaten',
      'document weggelaten',
    ],
    deleted: [
      'Dit bericht is verwijderd',
      'U hebt dit bericht verwijderd',
      'Je hebt dit bericht verwijderd',
      'Dit bericht werd verwijderd.',
      'Deze bericht is verwijderd',
    ],
    note: ['Gemiste spraakoproep', 'Gemiste video-oproep', 'Gemiste groepsoproep'],
    edited: ['<Dit bericht is bewerkt>'],
  },
  Turkish: {
    omitted: [
      '<Medya dahil edilmedi>',
      '<Medya atlanmış>',
      'görüntü dahil edilmedi',
      'video dahil edilmedi',
      'ses dahil edilmedi',
      'Çıkartma dahil edilmedi',
      'belge dahil edilmedi',
    ],
    deleted: ['Bu mesaj silindi', 'Bu mesajı sildiniz', 'Bu mesajı sildin.'],
    note: ['Cevapsız sesli arama', 'Cevapsız görüntülü arama'],
    edited: ['<Bu mesaj düzenlendi>'],
  },
  Russian: {
    omitted: [
      '<Без медиафайлов>',
      '<Файл пропущен>',
      '<Медиафайл пропущен>',
      '<медиафайлы опущены>',
      'изображение отсутствует',
      'видео отсутствует',
      'документ пропущен',
    ],
    deleted: [
      'Данное сообщение удалено',
      'Вы удалили данное сообщение',
      'Это сообщение удалено',
      'Сообщение удалено.',
    ],
    note: [
      'Пропущенный аудиозвонок',
      'Пропущенный видеозвонок',
      'Ожидание сообщения. Это может занять некоторое время.',
    ],
    edited: ['<Сообщение изменено>', '<Это сообщение было изменено>', '<Данное сообщение отредактировано>'],
  },
  Indonesian: {
    omitted: [
      '<Media tidak disertakan>',
      'gambar tidak disertakan',
      'video tidak disertakan',
      'stiker tidak disertakan',
      'dokumen tidak disertakan',
    ],
    deleted: [
      'Pesan ini telah dihapus',
      'Pesan ini dihapus',
      'Anda telah menghapus pesan ini',
      'Anda menghapus pesan ini',
    ],
    note: ['Panggilan suara tak terjawab', 'Panggilan video tak terjawab'],
    edited: ['<Pesan ini diedit>', '<Pesan ini telah diedit>'],
  },
  Malay: {
    omitted: ['<Media ditinggalkan>', '<Media disingkirkan>', 'imej ditinggalkan'],
    deleted: ['Mesej ini telah dipadam', 'Mesej ini telah dipadamkan', 'Anda telah memadam mesej ini'],
    note: ['Panggilan suara terlepas'],
    edited: ['<Mesej ini telah diedit>'],
  },
  Arabic: {
    omitted: [
      '<تم استبعاد الوسائط>',
      '<الوسائط محذوفة>',
      '<تم حذف الوسائط>',
      'تم استبعاد الصورة',
      'صورة محذوفة',
    ],
    deleted: ['تم حذف هذه الرسالة', 'لقد حذفت هذه الرسالة', 'حذفت هذه الرسالة', 'قمت بحذف هذه الرسالة'],
    note: ['مكالمة صوتية فائتة', 'مكالمة فيديو فائتة'],
    edited: ['<تم تعديل هذه الرسالة>'],
  },
  Hindi: {
    omitted: ['<मीडिया के बिना>', '<मीडिया छोड़ा गया>', '<मीडिया शामिल नहीं है>', '<मीडिया को छोड़ दिया गया>'],
    deleted: [
      'यह मैसेज डिलीट कर दिया गया',
      'यह संदेश हटा दिया गया',
      'आपने यह मैसेज डिलीट किया',
      'यह मैसेज हटा दिया गया था',
    ],
    note: ['मिस्ड वॉइस कॉल', 'मिस्ड वीडियो कॉल'],
    edited: ['<यह मैसेज एडिट किया गया>', '<इस मैसेज को एडिट किया गया है>'],
  },
  Chinese: {
    omitted: [
      '<省略多媒体文件>',
      '<媒体文件已省略>',
      '<已略過媒體檔案>',
      '<忽略多媒体文件>',
      '图片已省略',
      '圖片已略過',
      '忽略图片',
      '忽略视频',
    ],
    deleted: [
      '此消息已被删除',
      '这条消息已被删除',
      '您已删除这条消息',
      '你删除了这条消息',
      '此訊息已刪除',
      '你已刪除此訊息',
      '已刪除此訊息',
      '此消息已删除。',
    ],
    note: ['未接语音来电', '未接视频通话', '未接語音來電'],
    edited: ['<此消息已编辑>', '<此訊息已編輯>', '<已编辑>'],
  },
  Japanese: {
    omitted: [
      '<メディアは含まれていません>',
      '<メディアなし>',
      '<メディア省略>',
      '<メディアファイルを省略しました>',
      '画像は含まれていません',
      '動画は省略されました',
      'ステッカーは含まれていません',
    ],
    deleted: [
      'このメッセージは削除されました',
      'このメッセージを削除しました',
      'あなたはこのメッセージを削除しました',
      'メッセージが削除されました',
    ],
    note: ['不在着信', '音声通話の不在着信'],
    edited: ['<このメッセージは編集されました>', '<編集済み>'],
  },
  Korean: {
    omitted: [
      '<미디어 파일 제외됨>',
      '<미디어 파일을 제외한 상태>',
      '<사진 및 동영상 제외>',
      '<미디어 생략됨>',
      '이미지 생략됨',
      '사진이 제외되었습니다',
    ],
    deleted: [
      '삭제된 메시지입니다',
      '삭제된 메시지입니다.',
      '이 메시지는 삭제되었습니다',
      '이 메시지를 삭제했습니다',
      '메시지가 삭제되었습니다',
    ],
    note: ['부재중 음성 통화', '부재중 영상 통화'],
    edited: ['<이 메시지가 수정되었습니다>', '<수정됨>'],
  },
  Polish: {
    omitted: [
      '<Pominięto multimedia>',
      '<pominięto media>',
      '<Multimedia pominięte>',
      'obraz pominięto',
      'film pominięto',
      'pominięto dokument',
    ],
    deleted: [
      'Ta wiadomość została usunięta',
      'Usunięto tę wiadomość',
      'Usunąłeś tę wiadomość',
      'Wiadomość została usunięta.',
    ],
    note: ['Nieodebrane połączenie głosowe', 'Nieodebrane połączenie wideo'],
    edited: ['<Wiadomość edytowana>', '<Ta wiadomość została edytowana>'],
  },
  others: {
    omitted: [
      '<Медіа пропущено>',
      '<Fișiere media omise>',
      '<Média vynechána>',
      '<Média vynecháno>',
      '<Uteslöt mediafil>',
      '<Media utelämnat>',
      '<Mediefil udeladt>',
      '<Medier udeladt>',
      '<Media utelatt>',
      '<Media jätettiin pois>',
      '<Παραλείφθηκαν πολυμέσα>',
      '<המדיה לא נכללה>',
      '<Médiafájl kihagyva>',
      '<Đã bỏ qua media>',
      '<ละเว้นสื่อ>',
      '<رسانه حذف شد>',
      '<Mediji izostavljeni>',
    ],
    deleted: [
      'Це повідомлення видалено',
      'Acest mesaj a fost șters',
      'Tato zpráva byla smazána',
      'Detta meddelande raderades',
      'Denne besked blev slettet',
      'Denne meldingen ble slettet',
      'Tämä viesti poistettiin',
      'Αυτό το μήνυμα διαγράφηκε',
      'הודעה זו נמחקה',
      'Ezt az üzenetet törölték',
      'Tin nhắn này đã bị xóa',
      'ข้อความนี้ถูกลบ',
      'این پیام حذف شد',
      'یہ پیغام حذف کر دیا گیا',
    ],
  },
};

async function read(messages: readonly string[]) {
  using folder = temporaryFolder();
  const text = messages.map((said) => `13.06.2026, 18:08 - Ana: ${said}`).join('\n');
  const leftOut: string[] = [];
  const records = await readAll(whatsAppImporter, folder.write('a.txt', text), {
    onLeftOut: ({ reason }) => leftOut.push(reason),
  });
  return { said: turnsOf(records).map(({ content }) => content), leftOut };
}

describe('texts by WhatsApp itself', () => {
  it.each(Object.entries(OWN))(
    'leaves out those in %s, with and without the marks of an iPhone',
    async (language, texts) => {
      for (const kind of ['deleted', 'omitted', 'note'] as const)
        for (const text of texts[kind] ?? []) {
          const reasons = language === 'others' ? [expect.any(String)] : [REASONS[kind]];
          expect(await read([text]), text).toEqual({ said: [], leftOut: reasons });
          expect(await read([`\u200e${text}`]), text).toEqual({ said: [], leftOut: reasons });
        }
      for (const mark of texts.edited ?? []) {
        expect(await read([`I moved ${mark}`]), mark).toEqual({ said: ['I moved'], leftOut: [] });
        expect(await read([`I moved \u200e${mark}`]), mark).toEqual({ said: ['I moved'], leftOut: [] });
      }
    },
  );

  it.each([
    'Why did you delete this message?',
    'I deleted this message by mistake',
    'This message was deleted: no, it was not',
    'Who deleted the file?',
    'I have a new message',
    'The image was not good',
    'No answer',
    'Video call?',
    'This may take a while.',
    'Ich habe das Bild gelöscht',
    'Hai visto il messaggio?',
    'Este mensaje es para ti',
    'Eliminé la foto',
    'Ta wiadomość jest ważna',
    'Это сообщение для тебя',
    '我删除了照片',
    '这条消息很重要',
    'メッセージを見ました',
    'この画像はきれいです',
    '메시지 봤어?',
    'यह मैसेज पढ़ो',
    'هذه الرسالة مهمة',
    'Bu mesaj önemli',
    'Pesan ini penting',
    'document',
    'null and void',
    '<3',
    '<grin>',
    'a < b and c > d',
    'I like <b>bold</b>',
    'He wrote <see you soon>',
  ])('keeps the words of a person: %s', async (said) => {
    expect(await read([said])).toEqual({ said: [said], leftOut: [] });
  });

  it('leaves out notes that have a colon and no speaker', async () => {
    using folder = temporaryFolder();
    const notes = [
      'Ana changed the subject from "Kiln: fired" to "Clay"',
      'Ana cambió el asunto a «Horno: listo»',
      '小明将主题更改为「窑: 好」',
      'Nobody outside of this chat, not even WhatsApp, can read or listen to them: tap to learn more',
      'Ana added Bo',
    ];
    const text = ['Ana: hi', ...notes].map((said) => `13.06.2026, 18:08 - ${said}`).join('\n');
    const leftOut: string[] = [];
    const records = await readAll(whatsAppImporter, folder.write('a.txt', text), {
      onLeftOut: ({ reason }) => leftOut.push(reason),
    });
    expect(turnsOf(records)).toHaveLength(1);
    expect(leftOut).toEqual(notes.map(() => REASONS.note));
  });

  it('keeps the text of polls and places in any language', async () => {
    const polls = [
      '\u200ePOLL:\nLunch?\n\u200eOPTION: Pizza (2 votes)',
      '\u200eUMFRAGE:\nEssen?\n\u200eOPTION: Pizza (2 Stimmen)',
      '\u200eENCUESTA:\n¿Comida?\n\u200eOPCIÓN: Pizza (2 votos)',
    ];
    const places = [
      '\u200eLocation: https://maps.google.com/?q=51.05,3.72',
      '\u200eUbicación: https://maps.google.com/?q=51.05,3.72',
      '\u200eStandort: https://foursquare.com/v/4b5',
    ];
    expect(await read([...polls, ...places])).toEqual({
      said: [...polls, ...places].map((text) => text.replaceAll('\u200e', '')),
      leftOut: [],
    });
  });

  it.each([
    '<attached: 1-PHOTO.jpg>',
    '<Anhang: 1-PHOTO.jpg>',
    '<allegato: 1-PHOTO.jpg>',
    '<附件：1-PHOTO.jpg>',
    '<添付ファイル: 1-PHOTO.jpg>',
    '1-PHOTO.jpg (file attached)',
    '1-PHOTO.jpg (archivo adjunto)',
    '1-PHOTO.jpg (文件附件)',
    '1-PHOTO.jpg (添付ファイル)',
    '1-PHOTO.jpg (файл добавлен)',
  ])('keeps the name of a file: %s', async (said) => {
    using folder = temporaryFolder();
    const path = folder.write('a.txt', `13.06.2026, 18:08 - Ana: ${said}`);
    const [turn] = turnsOf(await readAll(whatsAppImporter, path));
    expect(turn?.attachments).toEqual([{ kind: 'image', description: '1-PHOTO.jpg', uri: '1-PHOTO.jpg' }]);
  });

  it('takes a whole text in angle brackets for a mark in a language that is not known', async () => {
    expect((await read(['<Xyz abcd efgh>'])).leftOut).toEqual([
      'a mark of WhatsApp in a language that is not known',
    ]);
  });
});
