import { entityNameKey } from '../../util/tidy.ts';

/** Towns that no time zone is called after. Without names that firms and tools are better known by. */
const OTHERS =
  'aachen aarhus aberdeen aberystwyth acapulco adelaide agra aix-en-provence ahmedabad albany albuquerque aleppo alexandria alicante almaty amiens anchorage angers ankara ann-arbor antalya antwerp arnhem asheville aspen atlanta augsburg austin avignon baltimore bandung bangalore bari barcelona basel basra bath baton-rouge beersheba belfast bellevue bengaluru bergamo bergen berkeley bern biarritz bielefeld bilbao birmingham bochum bologna bolzano bonn bordeaux boston boulder bournemouth braga brasilia bratislava bremen brescia brest brighton brisbane bristol brno bruges brugge buffalo burlington bursa busan caen calgary cali cambridge canberra cancun canterbury cape-town cardiff carlisle cartagena catania charleroi charleston charlotte chattanooga chelmsford chengdu chennai cheltenham chester chiang-mai christchurch cincinnati cleveland cluj coimbra cologne colorado-springs columbus cordoba cork coventry cracow curitiba cusco da-nang dallas davis daegu debrecen delft delhi denver derby derry des-moines dijon dortmund dover drammen dresden duesseldorf duisburg duluth dundee dunedin durban durham dusseldorf edinburgh eindhoven erfurt essen eugene exeter faro ferrara fez firenze florence fort-worth frankfurt freiburg fresno fribourg fukuoka galway gdansk gdynia geneva genoa genova ghent giessen girona glasgow gloucester goa gothenburg gouda gottingen goteborg granada graz grenoble groningen guadalajara guangzhou haarlem hague haifa hamburg hanoi hanover hannover hangzhou hartford heidelberg hiroshima hobart houston hull hyderabad ibiza incheon innsbruck inverness ipswich izmir jacksonville jaipur jena jeddah kanazawa kansas-city karlsruhe kassel katowice kaunas kharkiv kiel kilkenny kingston kitchener klagenfurt knoxville kobe kolkata konstanz krakow kristiansand kyoto la-paz lahore lancaster las-vegas lausanne leeds leicester leiden leipzig leuven lexington liege lille limassol limerick limoges lincoln linkoping linz liverpool ljubljana lodz long-beach lucca lucerne lugano lund lyon maastricht madison madras mainz malaga malmo manchester mannheim marburg marrakech marrakesh marseille mecca medellin medina melbourne memphis mendoza merida metz miami milan milano milwaukee minneapolis modena montpellier montreal mulhouse mumbai munich munster nagasaki nagoya namur nancy nantes naples napoli nashville new-delhi new-haven new-orleans newcastle newport nice nijmegen nimes norwich nottingham novosibirsk nuremberg oakland odense odessa oklahoma-city omaha oporto orlando orleans osaka ostend ottawa oulu oxford padua palermo palo-alto parma pasadena patras penang perpignan perth perugia philadelphia pisa pittsburgh plymouth porto portland porto-alegre portsmouth potsdam poznan preston providence pune quebec-city raleigh ravenna reading recife reims rennes reno reykjavik richmond rijeka rimini rochester rosario rostock rotterdam rouen saint-louis saint-paul saint-petersburg salamanca salerno salford salt-lake-city salvador salzburg san-antonio san-diego san-francisco san-jose santa-barbara santa-cruz santa-fe santander sapporo savannah scottsdale seattle sendai seville sevilla sheffield shenzhen siena southampton spokane split springfield st-andrews st-gallen st-louis st-petersburg stavanger stellenbosch stirling stockton strasbourg stuttgart surabaya swansea syracuse szczecin tacoma taipei tallahassee tampa tampere taormina tartu tel-aviv tempe thessaloniki the-hague tilburg timisoara toledo toulon toulouse tours trento trier trieste tromso trondheim tubingen tucson tulsa turin torino turku uppsala utrecht valencia valladolid valparaiso varanasi venice venezia verona victoria vigo ventspils washington waterford weimar wellington wiesbaden winchester wolfsburg worcester wroclaw wuerzburg wuhan wurzburg xian yokohama york ypres zaandam zagreb zaragoza zwolle nyc la sf manhattan brooklyn queens bronx harlem hackney camden kreuzberg neukolln montmartre'
    .split(' ')
    .map((name) => name.replaceAll('-', ' '));

/** "Fredrikstad", "Knoxville", "San Rafael". */
const SHAPE =
  /^\p{Lu}\p{Ll}{2,}(?:ville|burgh?|borough|stad|stadt|haven|hagen|dorf|heim|chester|cester|mouth|minster|polis|grad|abad|shire|sund|fjord)$|^(?:San|Santa|Santo|São|Sao|Los|Las|Saint|St\.?|Fort|Mount|Puerto|Ciudad|Rio|Bad|Lake) \p{Lu}\p{Ll}|(?: |-)(?:upon|sur|am)(?: |-)\p{Lu}| (?:City|Beach|Village|Springs|Heights|Island|Islands|Valley|Falls|Bay|County)$/u;

let towns: ReadonlySet<string> | null = null;

/** Whether it is a town by all that can be told without a map; a small one may be missed. */
export function isTown(place: string): boolean {
  towns ??= new Set([...OTHERS, ...timeZones()]);
  const key = entityNameKey(place).replace(/[ø]/g, 'o').replaceAll('-', ' ');
  return (
    towns.has(key) ||
    towns.has(key.replace(/^(?:the|new|old|greater|central|downtown) /, '')) ||
    SHAPE.test(place)
  );
}

/** The runtime's time zones are called after a town each: "Europe/Lisbon". */
function timeZones(): string[] {
  return Intl.supportedValuesOf('timeZone').map((zone) =>
    zone.split('/').at(-1)!.toLowerCase().replaceAll('_', ' '),
  );
}
