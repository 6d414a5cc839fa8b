import { evolveAll, UnknownEventError } from '@sluice/kernel';
import fc from 'fast-check';
import { apiKeys, MAX_ACTIVE_KEYS, type ApiKeyCommand, type ApiKeyEvent, type CreateApiKey } from './api-keys';

const create = (id: number): CreateApiKey => ({
  type: 'CreateApiKey',
  key: { id, appId: 9, name: `key ${id}`, preview: 'svc_app_0000…ffff', hash: 'a'.repeat(64), sealId: `apiKey-${id}` },
});
const revoke = (id: number) => ({ type: 'RevokeApiKey', id }) as const;

const after = (...commands: ApiKeyCommand[]) =>
  commands.reduce(
    (state, command) => evolveAll(apiKeys, state, apiKeys.decide(command, state)),
    apiKeys.initialState(),
  );

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

describe('revoking an API key', () => {
  it('given an active key, revokes it', () => {
    expect(apiKeys.decide(revoke(1), after(create(1)))).toEqual<ApiKeyEvent[]>([
      { type: 'ApiKeyRevoked', data: { id: 1 } },
    ]);
  });

  it('given a revoked key, changes nothing', () => {
    expect(apiKeys.decide(revoke(1), after(create(1), revoke(1)))).toEqual([]);
  });

  it('given no such key, refuses KEY_NOT_FOUND', () => {
    expect(() => apiKeys.decide(revoke(2), after(create(1)))).toThrow(refusal('KEY_NOT_FOUND'));
  });
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
          state = evolveAll(apiKeys, state, apiKeys.decide(command, state));
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
