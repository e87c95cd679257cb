/** Short forms that do not begin as the name does. Each line: a name, then what its bearers are called. */
const TABLE = `
alexander sasha xander sandy
alexandra sasha sandra sandy lexi
andrew drew
anthony tony
barbara babs
catherine kate katie cathy kitty
charles chuck charlie
charlotte lottie
christina tina
christine tina
christopher kit
deborah debbie
dorothy dot dottie
edward ted eddie ned
eleanor nell nora ellie
elizabeth liz lizzie beth betty eliza lisa betsy
evelyn evie
francis frank
frederick freddie
gerald jerry
gregory greg
harold harry
henry harry hank
isabella bella izzy
isabel bella izzy
james jim jimmy jamie
jennifer jenny
john jack johnny
joseph joe joey
katherine kate katie kathy kitty
kathryn kate katie kathy
lawrence larry
leonardo leo
margaret meg maggie peggy greta
martha marty
mary molly polly
matthew matt
michael mike mikey mick
nicholas nick nicky
patricia pat patty tricia trish
patrick paddy
rebecca becky becca
richard rick ricky dick
robert bob bobby rob bert
rosemary rosie
ronald ron ronnie
samantha sammy
samuel sammy
sarah sally
stephen steve
steven steve
susan sue susie
theodore ted teddy theo
theresa tess terry
timothy tim timmy
thomas tommy tom
victoria vicky tori
virginia ginny
walter walt
william bill billy will willy liam
zachary zack`;

const NICKNAMES: ReadonlyMap<string, readonly string[]> = readTable(TABLE);
/** "Mel" for "Melanie", but "Al" would be half the town. */
const SHORTEST = 3;

/** Whether one first name, as a key, is a usual short form of the other: by the table, or as its beginning. */
export function areNicknames(a: string, b: string): boolean {
  const [short, long] = a.length <= b.length ? [a, b] : [b, a];
  if (short === long) return false;
  if (NICKNAMES.get(long)?.includes(short) || NICKNAMES.get(short)?.includes(long)) return true;
  return short.length >= SHORTEST && long.startsWith(short);
}

/** Names of the table whose bearers are called so, and what bearers of the name are called. */
export function otherForms(name: string): readonly string[] {
  return NICKNAMES.get(name) ?? [];
}

function readTable(table: string): ReadonlyMap<string, readonly string[]> {
  const forms = new Map<string, string[]>();
  const add = (from: string, to: string) => forms.set(from, [...(forms.get(from) ?? []), to]);
  for (const line of table.trim().split('\n')) {
    const [name, ...short] = line.split(' ');
    for (const each of short) {
      add(name!, each);
      add(each, name!);
    }
  }
  return forms;
}
