import { evolveAll, UnknownEventError } from '@sluice/kernel';
import fc from 'fast-check';
import {
  apiKeys,
  existingKey,
  MAX_ACTIVE_KEYS,
  type ApiKeyCommand,
  type ApiKeyEvent,
  type ApiKeys,
  type CreateApiKey,
  type Restrictions,
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

const stateAfter = (...commands: ApiKeyCommand[]): ApiKeys =>
  commands.reduce(
    (state, command) => evolveAll(apiKeys, state, apiKeys.decide(command, state)),
    apiKeys.initialState(),
  );
const open = (keys: ApiKeys) => {
  if (keys === 'closed') throw new Error('The app is being removed.');
  return keys;
};
const after = (...commands: ApiKeyCommand[]) => open(stateAfter(...commands));

const refusal = (code: string) => expect.objectContaining({ code }) as Error;

describe('creating an API key', () => {
  it('given none, creates it as given', () => {
    expect(apiKeys.decide(create(4), after())).toEqual<ApiKeyEvent[]>([{ type: 'ApiKeyCreated', data: create(4).key }]);
  });

  it('given three active keys, refuses MAX_KEYS_REACHED', () => {
    expect(() => apiKeys.decide(create(4), after(create(1), create(2), create(3)))).toThrow(
      refusal('MAX_KEYS_REACHED'),
    );
  });

  it('given three keys of which one is revoked, creates a fourth', () => {
    expect(apiKeys.decide(create(4), after(create(1), create(2), create(3), revoke(2)))).toHaveLength(1);
  });
});

describe('closing the keys of an app that is being removed', () => {
  const close: ApiKeyCommand = { type: 'CloseApiKeys', appId: 9 };
  const closed: ApiKeyEvent = { type: 'ApiKeysClosed', data: { appId: 9 } };

  it('deletes every key there is, and gives their plaintexts up', () => {
    expect(apiKeys.decide(close, after(create(1), create(2), revoke(2)))).toEqual<ApiKeyEvent[]>([
      { type: 'ApiKeyDeleted', data: { id: 1, formerSealId: 'apiKey-1' } },
      { type: 'ApiKeyDeleted', data: { id: 2, formerSealId: null } },
      closed,
    ]);
  });

  it('given no key, closes all the same, and once', () => {
    expect(apiKeys.decide(close, after())).toEqual([closed]);
    expect(apiKeys.decide(close, stateAfter(close))).toEqual([]);
  });

  it.each<ApiKeyCommand>([create(3), rotate(1), restrict(1, web), deprecate(1), revoke(1), remove(1)])(
    'refuses $type from then on as APP_NOT_FOUND',
    (command) => {
      expect(() => apiKeys.decide(command, stateAfter(create(1), close))).toThrow(refusal('APP_NOT_FOUND'));
    },
  );

  it('leaves no key to be shown', () => {
    expect(() => existingKey(stateAfter(create(1), close), 1)).toThrow(refusal('APP_NOT_FOUND'));
  });
});

describe('revoking an API key', () => {
  it('given an active key, revokes it and gives its plaintext up', () => {
    expect(apiKeys.decide(revoke(1), after(create(1)))).toEqual<ApiKeyEvent[]>([
      { type: 'ApiKeyRevoked', data: { id: 1, formerSealId: 'apiKey-1' } },
    ]);
    expect(after(create(1), revoke(1)).get(1)).toMatchObject({ status: 'revoked', sealId: null });
  });

  it('given a revoked key, changes nothing', () => {
    expect(apiKeys.decide(revoke(1), after(create(1), revoke(1)))).toEqual([]);
  });

  it('given no such key, refuses KEY_NOT_FOUND', () => {
    expect(() => apiKeys.decide(revoke(2), after(create(1)))).toThrow(refusal('KEY_NOT_FOUND'));
  });
});

describe('rotating an API key', () => {
  it('given a key, replaces its secret and gives the former plaintext up', () => {
    expect(apiKeys.decide(rotate(1), after(create(1)))).toEqual<ApiKeyEvent[]>([
      { type: 'ApiKeyRotated', data: { id: 1, ...secret, formerSealId: 'apiKey-1' } },
    ]);
    const { preview, sealId } = secret;
    expect(after(create(1), rotate(1)).get(1)).toMatchObject({ preview, sealId, status: 'active' });
  });

  it('given a deprecated key, leaves it deprecated', () => {
    expect(after(create(1), deprecate(1), rotate(1)).get(1)?.status).toBe('deprecated');
  });

  it('given a revoked key, refuses KEY_REVOKED', () => {
    expect(() => apiKeys.decide(rotate(1), after(create(1), revoke(1)))).toThrow(refusal('KEY_REVOKED'));
  });
});

describe('restricting an API key', () => {
  it('replaces the whole set, an empty list being none', () => {
    const state = after(
      create(1),
      restrict(1, { ...web, ios: [{ bundle_id: 'a' }] }),
      restrict(1, { ...web, ios: [] }),
    );
    expect(state.get(1)?.restrictions).toEqual(web);
  });

  it('given the same set, changes nothing', () => {
    expect(apiKeys.decide(restrict(1, web), after(create(1), restrict(1, web)))).toEqual([]);
    expect(apiKeys.decide(restrict(1, {}), after(create(1)))).toEqual([]);
  });
});

describe('deprecating an API key', () => {
  it('given three active keys, makes room for another one', () => {
    const three = after(create(1), create(2), create(3), deprecate(2));
    expect(three.get(2)?.status).toBe('deprecated');
    expect(apiKeys.decide(create(4), three)).toHaveLength(1);
  });

  it.each([deprecate(1), revoke(1)])('given a key that is $type already, changes nothing', (before) => {
    expect(apiKeys.decide(deprecate(1), after(create(1), before))).toEqual([]);
  });
});

describe('deleting an API key', () => {
  it('forgets it, and gives its plaintext up', () => {
    expect(apiKeys.decide(remove(1), after(create(1)))).toEqual<ApiKeyEvent[]>([
      { type: 'ApiKeyDeleted', data: { id: 1, formerSealId: 'apiKey-1' } },
    ]);
    expect(after(create(1), remove(1)).size).toBe(0);
  });

  it.each([rotate(1), deprecate(1), remove(1), restrict(1, web), revoke(1)])(
    'given none, refuses KEY_NOT_FOUND to $type',
    (command) => {
      expect(() => apiKeys.decide(command, after(create(1), remove(1)))).toThrow(refusal('KEY_NOT_FOUND'));
    },
  );
});

it('whatever is asked: never more than three active keys, and a revoked one stays revoked', () => {
  const wish = fc.record({ kind: fc.constantFrom('create', 'create', 'revoke'), id: fc.integer({ min: 1, max: 12 }) });
  fc.assert(
    fc.property(fc.array(wish, { maxLength: 60 }), (wishes) => {
      let state = after();
      let nextId = 1;
      const revoked = new Set<number>();
      for (const { kind, id } of wishes) {
        const activeBefore = [...state.values()].filter((key) => key.status === 'active').length;
        try {
          const command = kind === 'create' ? create(nextId) : revoke(id);
          state = open(evolveAll(apiKeys, state, apiKeys.decide(command, state)));
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
  expect(JSON.stringify([...after(create(1)).values()])).not.toContain(create(1).key.hash);
});

it('stops at an event of a newer release', () => {
  const unknown = { type: 'ApiKeyPainted', data: {} } as unknown as ApiKeyEvent;
  expect(() => apiKeys.evolve(after(create(1)), unknown)).toThrow(UnknownEventError);
});
