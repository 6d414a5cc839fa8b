import { hasCharacters, ValidationError } from '@sluice/kernel';

export const MAX_GROUP_DEVICES = 1_000_000;
const MAX_DEVICE_ID_LENGTH = 255;
const MAX_LINE_BYTES = 4_096;
/** So many lines are named. */
const MAX_FAULTS = 20;
const LINE_END = 10;

/**
 * Reads a file with one device id in each line, in constant memory. Blank lines and spaces around an id are left out.
 * @param take is given each id, up to the first fault
 * @throws ValidationError that names the wrong lines
 */
export async function readDeviceList(bytes: AsyncIterable<Buffer>, take: (deviceId: string) => void): Promise<void> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const faults: string[] = [];
  let lines = 0;
  let devices = 0;
  const read = (line: Buffer): void => {
    lines += 1;
    const { id, fault } = readLine(line, utf8);
    if (fault !== undefined && faults.length <= MAX_FAULTS) faults.push(`Line ${lines}: ${fault}`);
    if (id === undefined) return;
    devices += 1;
    if (faults.length === 0 && devices <= MAX_GROUP_DEVICES) take(id);
  };
  let held = Buffer.alloc(0);
  for await (const chunk of bytes) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end >= 0; end = chunk.indexOf(LINE_END, start)) {
      const rest = chunk.subarray(start, end);
      read(held.length === 0 ? rest : Buffer.concat([held, rest]));
      held = Buffer.alloc(0);
      start = end + 1;
    }
    // Of a line that is too long, what shows that it is.
    held = Buffer.concat([held, chunk.subarray(start)]).subarray(0, MAX_LINE_BYTES + 1);
  }
  if (held.length > 0) read(held);
  if (faults.length > MAX_FAULTS) faults.splice(MAX_FAULTS, 1, 'Further lines are wrong.');
  if (devices > MAX_GROUP_DEVICES) faults.push(`A group may have at most ${MAX_GROUP_DEVICES} devices.`);
  if (faults.length === 0 && devices === 0)
    faults.push('The file holds no device id. Write one device id in each line.');
  if (faults.length > 0) throw new ValidationError({ file: faults });
}

/** Neither: the line is blank. */
function readLine(
  line: Buffer,
  utf8: { decode(bytes: Buffer): string },
): { readonly id?: string; readonly fault?: string } {
  if (line.length > MAX_LINE_BYTES) return { fault: `The device id has more than ${MAX_DEVICE_ID_LENGTH} characters.` };
  let id: string;
  try {
    // Without a byte order mark.
    id = utf8.decode(line).trim();
  } catch {
    return { fault: 'It is not UTF-8.' };
  }
  if (id === '') return {};
  if (!hasCharacters(id, 1, MAX_DEVICE_ID_LENGTH)) {
    return { fault: `The device id has more than ${MAX_DEVICE_ID_LENGTH} characters.` };
  }
  if (/[\p{Cc},;"]/u.test(id)) {
    return {
      fault: 'A device id must have no comma, semicolon, quotation mark or control character. Write one in each line.',
    };
  }
  return { id };
}
