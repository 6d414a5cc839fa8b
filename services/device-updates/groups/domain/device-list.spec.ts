import fc from 'fast-check';
import { MAX_GROUP_DEVICES, readDeviceList } from './device-list';

async function* chunks(bytes: Buffer, sizes: readonly number[]) {
  for (let start = 0, n = 0; start < bytes.length; n += 1) {
    const end = start + Math.max(1, sizes[n % sizes.length] ?? bytes.length);
    yield await Promise.resolve(bytes.subarray(start, end));
    start = end;
  }
}

async function read(content: string | Buffer, sizes: readonly number[] = [7]): Promise<string[]> {
  const devices: string[] = [];
  await readDeviceList(chunks(Buffer.from(content as string), sizes), (deviceId) => devices.push(deviceId));
  return devices;
}

const faultsOf = (content: string | Buffer) =>
  read(content).then(
    () => [],
    (error: unknown) => (error as { errors: { file: readonly string[] } }).errors.file,
  );

const id = fc.stringMatching(/^[a-zA-Z0-9._:ü🦆-]{1,40}$/u);

it('reads one device id from each line, however the bytes are split', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(id, { minLength: 1, maxLength: 20 }),
      fc.array(fc.nat(9), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\n\n', ' \n '),
      fc.boolean(),
      async (ids, sizes, end, isEnded) => {
        expect(await read(ids.join(end) + (isEnded ? end : ''), sizes)).toEqual(ids);
      },
    ),
  );
});

it('leaves out a byte order mark', async () => {
  expect(await read('\uFEFFone\ntwo')).toEqual(['one', 'two']);
});

it('rejects wrong lines by their numbers, and names what is wrong with each', async () => {
  const long = 'x'.repeat(256);
  const lines = ['good', long, '', 'a,b', 'tab\there', 'good too', 'y'.repeat(9_000), '"quoted"'];
  expect(await faultsOf(lines.join('\n'))).toEqual([
    'Line 2: The device id has more than 255 characters.',
    expect.stringMatching(/^Line 4: A device id must have no comma/),
    expect.stringMatching(/^Line 5: A device id must have no comma/),
    'Line 7: The device id has more than 255 characters.',
    expect.stringMatching(/^Line 8: A device id must have no comma/),
  ]);
  expect(await faultsOf(Buffer.from([0x61, 0x0a, 0xff, 0x0a]))).toEqual(['Line 2: It is not UTF-8.']);
  expect(await faultsOf(`${'🦆'.repeat(255)}\n`)).toEqual([]);
});

it('names at most 20 wrong lines', async () => {
  const faults = await faultsOf(',\n'.repeat(100));
  expect(faults).toHaveLength(21);
  expect(faults.at(-1)).toBe('Further lines are wrong.');
});

it('rejects a file without a device id, and one of more than 1,000,000', async () => {
  expect(await faultsOf('\n \n')).toEqual([expect.stringMatching(/no device id/)]);
  const many = Buffer.from('a\n'.repeat(MAX_GROUP_DEVICES + 1));
  let taken = 0;
  const reading = readDeviceList(chunks(many, [65_536]), () => (taken += 1));
  await expect(reading).rejects.toMatchObject({ errors: { file: ['A group may have at most 1000000 devices.'] } });
  expect(taken).toBe(MAX_GROUP_DEVICES);
});
