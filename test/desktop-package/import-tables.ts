/**
 * Names of the libraries that a Windows program or module needs as it is loaded, and of those that it asks for later
 * (delay-loaded), in lower case. Format: Microsoft, "PE Format", optional header, data directories 1 and 13.
 */
export function importTables(file: Buffer): { readonly needed: string[]; readonly late: string[] } {
  const header = file.readUInt32LE(0x3c);
  if (file.toString('latin1', header, header + 4) !== 'PE\0\0') throw new TypeError('This is no PE file');
  const sections = file.readUInt16LE(header + 6);
  const optional = header + 24;
  const isWide = file.readUInt16LE(optional) === 0x20b;
  const directories = optional + (isWide ? 112 : 96);
  const firstSection = optional + file.readUInt16LE(header + 20);
  /** Where an address of the loaded image lies in the file. */
  const offsetOf = (address: number): number => {
    for (let at = firstSection; at < firstSection + sections * 40; at += 40) {
      const [size, start, bytes, offset] = [8, 12, 16, 20].map((field) => file.readUInt32LE(at + field)) as [
        number,
        number,
        number,
        number,
      ];
      if (address >= start && address < start + Math.max(size, bytes)) return address - start + offset;
    }
    throw new TypeError(`No section has the address ${address}`);
  };
  const textAt = (offset: number) => file.toString('latin1', offset, file.indexOf(0, offset)).toLowerCase();
  const namesOf = (directory: number, entryBytes: number, nameField: number): string[] => {
    const address = file.readUInt32LE(directories + directory * 8);
    if (address === 0) return [];
    const names: string[] = [];
    for (let at = offsetOf(address); file.readUInt32LE(at + nameField) !== 0; at += entryBytes)
      names.push(textAt(offsetOf(file.readUInt32LE(at + nameField))));
    return names.sort();
  };
  return { needed: namesOf(1, 20, 12), late: namesOf(13, 32, 4) };
}

/** The least version of macOS that a Mach-O file of 64 bits names, such as `14.0`; null if it names none. */
export function leastMacOs(file: Buffer): string | null {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new TypeError('This is no Mach-O file of 64 bits');
  const commands = file.readUInt32LE(16);
  for (let count = 0, at = 32; count < commands; count++, at += file.readUInt32LE(at + 4)) {
    const command = file.readUInt32LE(at);
    // LC_BUILD_VERSION has the platform before it; LC_VERSION_MIN_MACOSX does not.
    const field = { 50: at + 12, 36: at + 8 }[command];
    if (field !== undefined) return `${file.readUInt16LE(field + 2)}.${file.readUInt8(field + 1)}`;
  }
  return null;
}
