import { constants, createHash, generateKeyPairSync, sign as signBytes, type KeyObject } from 'node:crypto';
import fc from 'fast-check';
import semver from 'semver';
import {
  createVerifier,
  verifyBundle,
  verifyCheck,
  type CheckContext,
  type Reason,
  type SignatureScheme,
} from './verifier';

const pairOf = () =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
const [first, second] = [pairOf(), pairOf()];

const signed = (text: string, key: string | KeyObject = first.privateKey, scheme: SignatureScheme = 'pkcs1v15') => {
  const pss = { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 } as never;
  return signBytes('sha256', Buffer.from(text), scheme === 'pss' ? pss : key).toString('base64');
};

const NOW = new Date('2026-03-01T12:00:00.000Z');
const bundle = Buffer.from('a bundle');
const sha256 = createHash('sha256').update(bundle).digest('hex');
const times = { issued: '2026-03-01T00:00:00.000Z', expires: '2026-03-08T00:00:00.000Z' };
const manifestFacts = {
  ...{ type: 'manifest', appId: 1, channel: 'production', platform: 'all', version: '1.1.0', bundleId: 'b-11' },
  ...{ sha256, size: bundle.length, nativeRange: '>=2.0.0', sequence: 7, ...times },
};
const stateFacts = {
  ...{ type: 'channelState', appId: 1, channel: 'production', platform: 'ios', sequence: 9 },
  ...{ versions: { '1.0.0': 3, '1.1.0': 7 }, ...times },
};
const offerOf = ({ version, bundleId, size, sha256: checksum, nativeRange }: typeof manifestFacts) => ({
  ...{ available: true, version, bundleId, downloadUrl: 'https://x', checksum, signature: 's', size, mandatory: false },
  ...{
    releaseNotes: null,
    minNativeVersion: (nativeRange as string | null)?.slice(2) ?? null,
    expiresAt: times.expires,
  },
});

type Facts = object;
const statement = (name: 'manifest' | 'channelState', facts: Facts, key?: string, scheme?: SignatureScheme) => {
  const text = JSON.stringify(facts);
  return { [name]: text, [`${name}Signature`]: signed(text, key, scheme) };
};
const responseOf = (
  manifest: Facts = manifestFacts,
  state: Facts = stateFacts,
  key?: string,
  scheme?: SignatureScheme,
) => ({
  ...offerOf(manifestFacts),
  ...statement('manifest', manifest, key, scheme),
  ...statement('channelState', state, key, scheme),
});
const nothingOf = (state: Facts = stateFacts) => ({
  ...{ available: false, message: 'No updates available' },
  ...statement('channelState', state),
});

const context = (more: Partial<CheckContext> = {}, trust: Partial<CheckContext['trust']> = {}): CheckContext => ({
  trust: {
    keys: [{ publicKey: first.publicKey, scheme: 'pkcs1v15' }],
    ...{ appId: 1, channel: 'production', platform: 'ios', ...trust },
  },
  ...{ memory: { sequence: undefined }, now: NOW, currentVersion: '1.0.0', ...more },
});

async function rejected(response: unknown, reason: Reason, given = context()) {
  expect(await verifyCheck(response, given)).toMatchObject({ accepted: false, reason });
}

it('accepts an offer and what its manifest names', async () => {
  expect(await verifyCheck(responseOf(), context())).toEqual({
    accepted: true,
    memory: { sequence: 9 },
    activeVersions: ['1.0.0', '1.1.0'],
    update: { version: '1.1.0', bundleId: 'b-11', sha256, size: bundle.length, nativeRange: '>=2.0.0' },
  });
  expect(await verifyBundle(bundle, manifestFacts)).toBeUndefined();
});

it('accepts that there is nothing new, of an empty channel too', async () => {
  expect(await verifyCheck(nothingOf(), context())).toMatchObject({ accepted: true, update: undefined });
  const empty = await verifyCheck(nothingOf({ ...stateFacts, versions: {} }), context());
  expect(empty).toMatchObject({ accepted: true, activeVersions: [] });
});

it.each(['pkcs1v15', 'pss'] as const)('verifies %s, and rejects the other scheme', async (scheme) => {
  const other = scheme === 'pss' ? 'pkcs1v15' : 'pss';
  const response = responseOf(manifestFacts, stateFacts, first.privateKey, scheme);
  const pinned = (each: SignatureScheme) => context({}, { keys: [{ publicKey: first.publicKey, scheme: each }] });
  expect(await verifyCheck(response, pinned(scheme))).toMatchObject({ accepted: true });
  await rejected(response, 'signature_invalid', pinned(other));
});

it('while two keys sign, clients that pin either, or both, accept', async () => {
  const response: Record<string, unknown> = responseOf();
  for (const name of ['manifest', 'channelState'] as const) {
    const text = response[name] as string;
    response[`${name}Signatures`] = [first, second].map(({ privateKey }, at) => ({
      key_id: at,
      signature: signed(text, privateKey),
    }));
  }
  for (const pins of [[first], [second], [second, first]]) {
    const keys = pins.map(({ publicKey }) => ({ publicKey, scheme: 'pkcs1v15' as const }));
    expect(await verifyCheck(response, context({}, { keys }))).toMatchObject({ accepted: true });
  }
  await rejected(
    response,
    'signature_invalid',
    context({}, { keys: [{ publicKey: pairOf().publicKey, scheme: 'pkcs1v15' }] }),
  );
});

describe('rejects', () => {
  it('an unsigned response: an offer and "nothing new" alike', async () => {
    await rejected(offerOf(manifestFacts), 'statement_missing');
    await rejected({ available: false, message: 'No updates available' }, 'statement_missing');
    await rejected({ ...offerOf(manifestFacts), ...statement('channelState', stateFacts) }, 'statement_missing');
  });

  it('a statement that another key signed', () =>
    rejected(responseOf(manifestFacts, stateFacts, second.privateKey), 'signature_invalid'));

  it('a manifest in the place of a state, and a state in the place of a manifest', async () => {
    await rejected({ ...nothingOf(), ...statement('channelState', manifestFacts) }, 'statement_malformed');
    await rejected(
      { ...responseOf(), ...statement('manifest', { ...stateFacts, platform: 'all' }) },
      'statement_malformed',
    );
  });

  it.each(['manifest', 'channelState'] as const)('an expired %s', (name) => {
    const past = { expires: NOW.toISOString() };
    const expired =
      name === 'manifest'
        ? responseOf({ ...manifestFacts, ...past })
        : responseOf(manifestFacts, { ...stateFacts, ...past });
    return rejected(expired, 'expired');
  });

  it('an older state than one that it has seen, and not the same one again', async () => {
    await rejected(nothingOf(), 'channel_state_outdated', context({ memory: { sequence: 10 } }));
    expect(await verifyCheck(nothingOf(), context({ memory: { sequence: 9 } }))).toMatchObject({ accepted: true });
  });

  it.each([
    ['wrong_app', { appId: 2 }],
    ['wrong_channel', { channel: 'staging' }],
    ['wrong_platform', { platform: 'android' }],
  ] as const)('statements that are right for others: %s', async (reason, trust) => {
    await rejected(responseOf(), reason, context({}, trust));
    if (reason !== 'wrong_platform') {
      await rejected(responseOf({ ...manifestFacts, ...trust }), reason);
    } else {
      await rejected(responseOf({ ...manifestFacts, platform: 'android' }), reason);
    }
  });

  it('a replayed manifest of a build that the channel does not serve (any longer)', () =>
    rejected(responseOf(manifestFacts, { ...stateFacts, versions: { '1.0.0': 3 } }), 'version_not_active'));

  it('statements of different times', () =>
    rejected(responseOf({ ...manifestFacts, sequence: 5 }), 'manifest_outdated'));

  it.each([
    { version: '9.9.9' },
    { bundleId: 'b-10' },
    { checksum: createHash('sha256').update('old').digest('hex') },
    { size: 7 },
    { minNativeVersion: null },
    { available: 'yes' },
  ])('an offer that contradicts its manifest: %j', (change) =>
    rejected({ ...responseOf(), ...change }, 'offer_mismatch'),
  );

  it('an active version that is not newer than the one that runs', async () => {
    await rejected(responseOf(), 'version_not_newer', context({ currentVersion: '1.1.0' }));
    await rejected(responseOf(), 'version_not_newer', context({ currentVersion: 'nonsense' }));
  });

  it('a build that needs a newer native app', async () => {
    await rejected(responseOf(), 'native_version_too_old', context({ nativeVersion: '1.9' }));
    expect(await verifyCheck(responseOf(), context({ nativeVersion: '2' }))).toMatchObject({ accepted: true });
  });

  it('a build whose native range the native app is not in', async () => {
    const nativeRange = '>=2.1.0 <3.0.0-0||>=4.0.0';
    const response = {
      ...responseOf({ ...manifestFacts, nativeRange }),
      ...{ minNativeVersion: null, nativeRange },
    };
    for (const nativeVersion of ['2.0', '3', '3.9.9']) {
      await rejected(response, 'native_version_unsuitable', context({ nativeVersion }));
    }
    for (const nativeVersion of ['2.1', 'v2.9.9', '4', '11.0', 'unknown']) {
      expect(await verifyCheck(response, context({ nativeVersion }))).toMatchObject({ update: { nativeRange } });
    }
    await rejected({ ...response, nativeRange: '>=2.1.0' }, 'offer_mismatch');
  });

  it('a build for native apps with another fingerprint', async () => {
    const response = responseOf({ ...manifestFacts, fingerprint: 'f00d' });
    await rejected(response, 'fingerprint_mismatch', context({ fingerprint: 'beef' }));
    await rejected(response, 'fingerprint_mismatch', context({ fingerprint: null }));
    expect(await verifyCheck(response, context({ fingerprint: 'f00d' }))).toMatchObject({ accepted: true });
    expect(await verifyCheck(responseOf(), context({ fingerprint: 'f00d' }))).toMatchObject({ accepted: true });
  });

  it.each([undefined, null, [], 'text', 7])('what is no response: %j', (response) =>
    rejected(response, 'statement_malformed'),
  );

  it('signed text that is no statement', async () => {
    for (const text of ['', 'null', '[]', '{', '{"type":"channelState"}']) {
      const response = { available: false, channelState: text, channelStateSignature: signed(text) };
      expect(await verifyCheck(response, context())).toMatchObject({ accepted: false });
    }
  });

  it('every change of a single character of a statement or its signature', () => {
    const response: Record<string, unknown> = responseOf();
    return fc.assert(
      fc.asyncProperty(
        fc.constantFrom('manifest', 'manifestSignature', 'channelState', 'channelStateSignature'),
        fc.nat(),
        fc.integer({ min: 32, max: 126 }),
        async (name, place, code) => {
          const text = response[name] as string;
          const at = place % text.length;
          const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
          fc.pre(changed !== text);
          expect(await verifyCheck({ ...response, [name]: changed }, context())).toMatchObject({ accepted: false });
        },
      ),
      { numRuns: 300 },
    );
  });

  it('every change of a single member that the client goes by, whatever its new value', () => {
    const response: Record<string, unknown> = responseOf();
    const members = [
      'available',
      'version',
      'bundleId',
      'checksum',
      'size',
      'minNativeVersion',
      'manifest',
      'channelState',
    ];
    return fc.assert(
      fc.asyncProperty(fc.constantFrom(...members), fc.jsonValue(), async (name, value) => {
        fc.pre(value !== response[name] && !(name === 'available' && value === false));
        expect(await verifyCheck({ ...response, [name]: value }, context())).toMatchObject({ accepted: false });
      }),
      { numRuns: 300, examples: [['checksum', { toString: '' }]] },
    );
  });

  it('every change of a single byte of the bundle, and every other length', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(bundle.length - 1), fc.integer({ min: 1, max: 255 }), async (at, flip) => {
        const changed = Buffer.from(bundle);
        changed[at] = (changed[at] ?? 0) ^ flip;
        expect(await verifyBundle(changed, manifestFacts)).toMatchObject({ reason: 'bytes_mismatch' });
        expect(await verifyBundle(bundle.subarray(0, at), manifestFacts)).toMatchObject({ reason: 'bytes_mismatch' });
        expect(await verifyBundle(bundle, { ...manifestFacts, size: at })).toMatchObject({ reason: 'bytes_mismatch' });
      }),
    ));
});

it('orders versions as semver does', () => {
  const part = fc.constantFrom('0', '1', '10', 'a', 'b', 'a-1');
  const version = fc
    .tuple(fc.nat(2), fc.nat(11), fc.nat(2), fc.array(part, { maxLength: 3 }))
    .map(([major, minor, patch, pre]) => `${major}.${minor}.${patch}${pre.length > 0 ? `-${pre.join('.')}` : ''}`);
  return fc.assert(
    fc.asyncProperty(version, version, async (offered, currentVersion) => {
      const facts = { ...manifestFacts, version: offered };
      const response = { ...responseOf(facts, { ...stateFacts, versions: { [offered]: 7 } }), version: offered };
      const { accepted } = await verifyCheck(response, context({ currentVersion }));
      expect(accepted).toBe(semver.gt(offered, currentVersion));
    }),
    { numRuns: 200 },
  );
});

it('remembers the highest sequence in its store, and never goes back', async () => {
  let stored: number | undefined;
  const store = {
    load: () => Promise.resolve(stored),
    save: (sequence: number) => Promise.resolve(void (stored = sequence)),
  };
  const { trust } = context();
  const verifier = createVerifier(trust, store, () => NOW);
  const older = nothingOf({ ...stateFacts, sequence: 8 });
  expect(await verifier.check(older)).toMatchObject({ accepted: true });
  // Both simultaneously: the later one is judged by what the earlier one stored.
  const [newer, replayed] = await Promise.all([verifier.check(nothingOf()), verifier.check(older)]);
  expect([newer.accepted, replayed.accepted, stored]).toEqual([true, false, 9]);
  expect(await createVerifier(trust, store, () => NOW).check(older)).toMatchObject({
    reason: 'channel_state_outdated',
  });
});
