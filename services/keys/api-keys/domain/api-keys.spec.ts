import { UnknownEventError } from '@sluice/kernel';
import { eventTime, specify } from '@sluice/testing';
import fc from 'fast-check';
import {
  API_KEY_SEALS,
  apiKeys,
  existingKey,
  MAX_ACTIVE_KEYS,
  type ApiKeyCommand,
  type ApiKeyEvent,
  type ApiKeys,
  type CreateApiKey,
  type Restrictions,
  apiKeysStream,
} from './api-keys';

const create = (id: number): CreateApiKey => ({
  type: 'CreateApiKey',
  key: { id, appId: 9, name: `key ${id}`, preview: 'svc_app_0000…ffff', hash: 'a'.repeat(64), sealId: `apiKey-${id}` },
});
const revoke = (id: number) => ({ type: 'RevokeApiKey', id }) as const;

const secret = { preview: 'svc_app_1111…2222', hash: 'b'.repeat(64), sealId: 'apiKey-new' };
const rotate = (id: number) => ({ type: 'RotateApiKey', id, secret }) as const;
const deprecate = (id: number) => ({ type: 'DeprecateApiKey', id }) as const;
const remove = (id: number) => ({ type: 'DeleteApiKey', id }) as const;
const restrict = (id: number, restrictions: Restrictions) => ({ type: 'RestrictApiKey', id, restrictions }) as const;
const web = { origins: ['https://app.example.com'] };

const { given, after, evolve } = specify(apiKeys);
const open = (keys: ApiKeys) => {
  if (keys === 'closed') throw new Error('The app is being removed.');
  return keys;
};

const keysAfter = (...commands: ApiKeyCommand[]) => open(after(...commands).state);

const refusal = (code: string) => expect.objectContaining({ code }) as Error;

describe('creating an API key', () => {
  it('given none, creates it as given', () => {
    after()
      .when(create(4))
      .then({ type: 'ApiKeyCreated', data: create(4).key });
  });

  it('given three active keys, rejects MAX_KEYS_REACHED', () => {
    after(create(1), create(2), create(3))
      .when(create(4))
      .rejects({ code: 'MAX_KEYS_REACHED', message: expect.stringContaining('3') as string });
  });

  it('given three keys of which one is revoked, creates a fourth', () => {
    expect(after(create(1), create(2), create(3), revoke(2)).when(create(4)).events).toHaveLength(1);
  });
});

describe('closing the keys of an app that is being removed', () => {
  const close: ApiKeyCommand = { type: 'CloseApiKeys', appId: 9 };
  const closed: ApiKeyEvent = { type: 'ApiKeysClosed', data: { appId: 9 } };

  it('deletes every key there is, and gives their plaintexts up', () => {
    after(create(1), create(2), revoke(2))
      .when(close)
      .then(
        { type: 'ApiKeyDeleted', data: { id: 1, formerSealId: 'apiKey-1' } },
        { type: 'ApiKeyDeleted', data: { id: 2, formerSealId: null } },
        closed,
      );
  });

  it('given no key, closes all the same, and once', () => {
    after().when(close).then(closed);
    after(close).when(close).then();
  });

  it.each<ApiKeyCommand>([create(3), rotate(1), restrict(1, web), deprecate(1), revoke(1), remove(1)])(
    'rejects $type from then on as APP_NOT_FOUND',
    (command) => {
      after(create(1), close).when(command).rejects('APP_NOT_FOUND');
    },
  );

  it('leaves no key to be shown', () => {
    expect(() => existingKey(after(create(1), close).state, 1)).toThrow(refusal('APP_NOT_FOUND'));
  });
});

describe('revoking an API key', () => {
  it('given an active key, revokes it and gives its plaintext up', () => {
    after(create(1))
      .when(revoke(1))
      .then({ type: 'ApiKeyRevoked', data: { id: 1, formerSealId: 'apiKey-1' } });
    expect(keysAfter(create(1), revoke(1)).get(1)).toMatchObject({ status: 'revoked', sealId: null });
  });

  it('given a revoked key, changes nothing', () => {
    after(create(1), revoke(1)).when(revoke(1)).then();
  });

  it('given no such key, rejects KEY_NOT_FOUND', () => {
    after(create(1)).when(revoke(2)).rejects('KEY_NOT_FOUND');
  });
});

describe('rotating an API key', () => {
  it('given a key, replaces its secret and gives the former plaintext up', () => {
    after(create(1))
      .when(rotate(1))
      .then({ type: 'ApiKeyRotated', data: { id: 1, ...secret, formerSealId: 'apiKey-1' } });
    const { preview, sealId } = secret;
    expect(keysAfter(create(1), rotate(1)).get(1)).toMatchObject({ preview, sealId, status: 'active' });
  });

  it('given a deprecated key, leaves it deprecated', () => {
    expect(keysAfter(create(1), deprecate(1), rotate(1)).get(1)?.status).toBe('deprecated');
  });

  it('given a revoked key, rejects KEY_REVOKED', () => {
    after(create(1), revoke(1)).when(rotate(1)).rejects('KEY_REVOKED');
  });
});

describe('restricting an API key', () => {
  it('replaces the whole set, an empty list being none', () => {
    const keys = keysAfter(
      create(1),
      restrict(1, { ...web, ios: [{ bundle_id: 'a' }] }),
      restrict(1, { ...web, ios: [] }),
    );
    expect(keys.get(1)?.restrictions).toEqual(web);
  });

  it('keeps the entries of every kind', () => {
    const native = { android: [{ package_name: 'com.example' }], ios: [{ bundle_id: 'com.example' }] };
    after(create(1))
      .when(restrict(1, { ...native, origins: [] }))
      .then({ type: 'ApiKeyRestricted', data: { id: 1, restrictions: native } });
    after(create(1), restrict(1, native))
      .when(restrict(1, { android: [], ios: [] }))
      .then({ type: 'ApiKeyRestricted', data: { id: 1, restrictions: {} } });
  });

  it('given the same set, changes nothing', () => {
    after(create(1), restrict(1, web)).when(restrict(1, web)).then();
    after(create(1)).when(restrict(1, {})).then();
  });
});

describe('deprecating an API key', () => {
  it('given three active keys, makes room for another one', () => {
    const three = after(create(1), create(2), create(3), deprecate(2));
    expect(open(three.state).get(2)?.status).toBe('deprecated');
    expect(three.when(create(4)).events).toHaveLength(1);
  });

  it.each([deprecate(1), revoke(1)])('given a key that is $type already, changes nothing', (before) => {
    after(create(1), before).when(deprecate(1)).then();
  });
});

describe('deleting an API key', () => {
  it('forgets it, and gives its plaintext up', () => {
    after(create(1))
      .when(remove(1))
      .then({ type: 'ApiKeyDeleted', data: { id: 1, formerSealId: 'apiKey-1' } });
    expect(keysAfter(create(1), remove(1)).size).toBe(0);
  });

  it.each([rotate(1), deprecate(1), remove(1), restrict(1, web), revoke(1)])(
    'given none, rejects KEY_NOT_FOUND to $type',
    (command) => {
      after(create(1), remove(1)).when(command).rejects('KEY_NOT_FOUND');
    },
  );
});

describe('expecting a revision of an API key', () => {
  const changed = after(create(1), restrict(1, web), create(2), deprecate(2), rotate(2));

  it('rises with each change of the key, whatever happens to others', () => {
    expect([...open(changed.state).values()].map(({ revision }) => revision)).toEqual([2, 3]);
  });

  it.each([rotate(1), restrict(1, {}), deprecate(1), revoke(1), remove(1)])(
    'takes $type for the revision that the key has, and rejects another one with it',
    (command) => {
      expect(changed.when({ ...command, ifRevision: 2 }).events).toHaveLength(1);
      for (const ifRevision of [1, 3]) {
        const message = expect.stringContaining(`is 2, not ${ifRevision}`) as string;
        changed.when({ ...command, ifRevision }).rejects({ code: 'KEY_CHANGED', details: { revision: 2 }, message });
      }
    },
  );

  it('rejects a command that would change nothing, too', () => {
    changed.when({ ...restrict(1, web), ifRevision: 1 }).rejects('KEY_CHANGED');
  });
});

it('whatever is asked: never more than three active keys, and a revoked one stays revoked', () => {
  const wish = fc.record({ kind: fc.constantFrom('create', 'create', 'revoke'), id: fc.integer({ min: 1, max: 12 }) });
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 60 }), (wishes) => {
      let state = keysAfter();
      let nextId = 1;
      const revoked = new Set<number>();
      for (const { kind, id } of wishes) {
        const activeBefore = [...state.values()].filter((key) => key.status === 'active').length;
        try {
          const command = kind === 'create' ? create(nextId) : revoke(id);
          state = open(evolve(state, apiKeys.decide(command, state)));
          if (command.type === 'CreateApiKey') nextId += 1;
          else revoked.add(id);
        } catch (error) {
          const { code } = error as { code?: string };
          expect(code).toBe(kind === 'create' ? 'MAX_KEYS_REACHED' : 'KEY_NOT_FOUND');
          if (kind === 'create') expect(activeBefore).toBe(MAX_ACTIVE_KEYS);
        }
        expect([...state.values()].filter((key) => key.status === 'active').length).toBeLessThanOrEqual(3);
        for (const gone of revoked) expect(state.get(gone)?.status).toBe('revoked');
      }
    }),
  );
});

it('keeps no hash in its state', () => {
  expect(JSON.stringify([...keysAfter(create(1)).values()])).not.toContain(create(1).key.hash);
});

it('stops at an event of a newer release', () => {
  const unknown = { type: 'ApiKeyPainted', data: {} } as unknown as ApiKeyEvent;
  expect(() => evolve(after(create(1)).state, [unknown])).toThrow(UnknownEventError);
});

it('rejects a name that is blank', () => {
  after()
    .when({ ...create(1), key: { ...create(1).key, name: ' ' } })
    .rejects({ errors: { name: ['The name must not be empty.'] } });
});

it('remembers when a key was created, and when it was last rotated', () => {
  const keys = keysAfter(create(1), create(2), rotate(1), revoke(1));
  expect(keys.get(1)).toMatchObject({ createdAt: eventTime(0), rotatedAt: eventTime(2) });
  expect(keys.get(2)).toMatchObject({ createdAt: eventTime(1), rotatedAt: null });
});

it('keeps its events in the stream apiKeys-7', () => {
  expect(apiKeysStream(7)).toBe('apiKeys-7');
});

it('ignores an event about a key that does not exist', () => {
  expect(open(given({ type: 'ApiKeyDeprecated', data: { id: 9 } }).state).size).toBe(0);
});

it('names sealed keys apiKey-', () => {
  expect(API_KEY_SEALS).toBe('apiKey-');
});
