import { readSettings } from '@sluice/config';
import { UnavailableError } from '@sluice/kernel';
import type { Messaging } from '@sluice/messaging';
import type { FastifyRequest } from 'fastify';
import { gatewaySettings } from '../config/gateway.settings';
import type { AccessIndex } from '../access/access-index';
import { StorageLimit } from './storage-limit';

const MIB = 1024 ** 2;
const caller = { actor: 'token:1', commandId: 'c' };
const upload = (length?: number, named: object | null = null) =>
  ({ headers: length === undefined ? {} : { 'content-length': String(length) }, named }) as unknown as FastifyRequest;

/** Of an owner of whom so many bytes are stored; undefined: the number is unavailable. */
function limitOf(limitBytes: number, stored: () => number | undefined) {
  const settings = readSettings({ STORAGE_PER_OWNER_BYTES: String(limitBytes) }, gatewaySettings);
  const request = () => {
    const bytes = stored();
    if (bytes === undefined) return Promise.reject(new UnavailableError('away'));
    return Promise.resolve([
      { appId: 1, bytes: bytes - 1 },
      { appId: 2, bytes: 1 },
    ]);
  };
  const access = { state: { appsOfOwner: () => [1, 2] } } as unknown as AccessIndex;
  const limit = new StorageLimit(settings, { request } as unknown as Messaging, access);
  return (length?: number, named?: object) => limit.makeRoom(upload(length, named), 1, 10 * MIB, caller);
}
const full = { code: 'STORAGE_LIMIT_REACHED', details: { limit_bytes: 20 * MIB, used_bytes: 19 * MIB } };

describe('the storage of an owner', () => {
  it('lets in what fits, and narrows the file of an upload to what is left', async () => {
    const makeRoom = limitOf(20 * MIB, () => 8 * MIB);
    expect(await makeRoom(2 * MIB)).toMatchObject({ maxBytes: 10 * MIB, tooLarge: undefined });
    const narrow = await limitOf(20 * MIB, () => 19 * MIB)(2 * MIB);
    expect(narrow).toMatchObject({ maxBytes: MIB, tooLarge: full });
  });

  it('rejects before the body what cannot fit, by its announced length or because nothing is left', async () => {
    await expect(limitOf(20 * MIB, () => 19 * MIB)(2 * MIB + 1)).rejects.toMatchObject(full);
    await expect(limitOf(20 * MIB, () => 20 * MIB)()).rejects.toMatchObject({ code: 'STORAGE_LIMIT_REACHED' });
  });

  it('counts uploads that arrive at the same moment together, until each has ended', async () => {
    const makeRoom = limitOf(20 * MIB, () => MIB);
    const rooms = await Promise.all([makeRoom(9 * MIB), makeRoom(9 * MIB)]);
    await expect(makeRoom(9 * MIB)).rejects.toMatchObject({ code: 'STORAGE_LIMIT_REACHED' });
    // One that was rejected takes no room.
    expect(await makeRoom(MIB)).toMatchObject({ maxBytes: MIB });
    for (const { release } of rooms) release();
    await expect(makeRoom(9 * MIB)).resolves.toMatchObject({ maxBytes: 10 * MIB });
  });

  it('continues while the number of stored bytes is unavailable', async () => {
    expect(await limitOf(20 * MIB, () => undefined)(2 * MIB)).toMatchObject({ maxBytes: 10 * MIB });
  });

  it('lets the repeat of an upload have its answer', async () => {
    const makeRoom = limitOf(20 * MIB, () => 20 * MIB);
    await expect(makeRoom(MIB, { isRepeat: false })).rejects.toMatchObject({ code: 'STORAGE_LIMIT_REACHED' });
    expect(await makeRoom(MIB, { isRepeat: true })).toMatchObject({ maxBytes: 10 * MIB });
  });
});
