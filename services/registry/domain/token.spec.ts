import { evolveAll, UnknownEventError } from '@sluice/kernel';
import { token, type IssueToken, type TokenCommand, type TokenEvent } from './token';

const issue: IssueToken = {
  type: 'IssueToken',
  grant: {
    id: 5,
    ownerId: 1,
    name: 'ci',
    permissions: ['builds.delete'],
    allApps: false,
    apps: [2, 3],
    expiresAt: '2030-01-01T00:00:00.000Z',
  },
  secret: { hash: 'a'.repeat(64), sealId: 'shown-1' },
};

const after = (...commands: TokenCommand[]) =>
  commands.reduce((state, command) => evolveAll(token, state, token.decide(command, state)), token.initialState());

const refusal = (code: string) => expect.objectContaining({ code }) as Error;

describe('issuing a token', () => {
  it('given none, issues it with manage in front', () => {
    expect(token.decide(issue, after())).toEqual<TokenEvent[]>([
      { type: 'TokenIssued', data: { ...issue.grant, permissions: ['manage', 'builds.delete'], ...issue.secret } },
    ]);
  });

  it('names each permission and app once', () => {
    const doubled: IssueToken = {
      ...issue,
      grant: { ...issue.grant, permissions: ['keys.delete', 'manage', 'keys.delete'], apps: [3, 3, 2] },
    };
    expect(token.decide(doubled, after())[0]).toMatchObject({
      data: { permissions: ['manage', 'keys.delete'], apps: [3, 2] },
    });
  });

  it('given the id, refuses TOKEN_ALREADY_ISSUED', () => {
    expect(() => token.decide(issue, after(issue))).toThrow(refusal('TOKEN_ALREADY_ISSUED'));
  });
});

describe('revoking a token', () => {
  it('given a valid token, revokes it', () => {
    expect(token.decide({ type: 'RevokeToken', ownerId: 1 }, after(issue))).toEqual<TokenEvent[]>([
      { type: 'TokenRevoked', data: { id: 5, formerSealId: 'shown-1' } },
    ]);
  });

  it('given a revoked token, changes nothing', () => {
    const revoke = { type: 'RevokeToken', ownerId: 1 } as const;
    expect(token.decide(revoke, after(issue, revoke))).toEqual([]);
  });

  it("refuses TOKEN_NOT_FOUND for no token and for another owner's alike", () => {
    expect(() => token.decide({ type: 'RevokeToken', ownerId: 1 }, after())).toThrow(refusal('TOKEN_NOT_FOUND'));
    expect(() => token.decide({ type: 'RevokeToken', ownerId: 2 }, after(issue))).toThrow(refusal('TOKEN_NOT_FOUND'));
  });
});

describe('editing a token', () => {
  const edit = (changes: object): TokenCommand => ({ type: 'EditToken', ownerId: 1, ...changes });
  const unchanged = {
    id: 5,
    name: 'ci',
    permissions: ['manage', 'builds.delete'],
    allApps: false,
    apps: [2, 3],
    ownAppsAfter: 0,
    expiresAt: '2030-01-01T00:00:00.000Z',
  };

  it.each([
    ['the name', { name: 'laptop' }, { name: 'laptop' }],
    ['the permissions', { permissions: ['keys.delete'] }, { permissions: ['manage', 'keys.delete'] }],
    ['the expiry', { expiresAt: null }, { expiresAt: null }],
    [
      'the apps, all of them',
      { reach: { allApps: false, apps: [9, 9], ownAppsAfter: 11 } },
      { apps: [9], ownAppsAfter: 11 },
    ],
    [
      'the apps to all',
      { reach: { allApps: true, apps: [], ownAppsAfter: 11 } },
      { allApps: true, apps: [], ownAppsAfter: 11 },
    ],
  ])('given a valid token, changes %s and says the whole', (_, changes, expected) => {
    expect(token.decide(edit(changes), after(issue))).toEqual([
      { type: 'TokenEdited', data: { ...unchanged, ...expected } },
    ]);
  });

  it('given the same again, changes nothing', () => {
    const all = edit({ reach: { allApps: true, apps: [], ownAppsAfter: 11 } });
    expect(token.decide(edit({}), after(issue))).toEqual([]);
    expect(token.decide(edit({ name: 'ci', permissions: ['builds.delete'] }), after(issue))).toEqual([]);
    expect(token.decide(edit({ reach: { allApps: true, apps: [], ownAppsAfter: 12 } }), after(issue, all))).toEqual([]);
  });
});

describe('rotating a token', () => {
  const rotate: TokenCommand = { type: 'RotateToken', ownerId: 1, secret: { hash: 'b'.repeat(64), sealId: null } };

  it('given a valid token, gives it another secret, and names the seal of the former', () => {
    expect(token.decide(rotate, after(issue))).toEqual([
      { type: 'TokenRotated', data: { id: 5, hash: 'b'.repeat(64), sealId: null, formerSealId: 'shown-1' } },
    ]);
    expect(after(issue, rotate)).toEqual({ ...after(issue), sealId: null });
  });
});

it.each<TokenCommand>([
  { type: 'EditToken', ownerId: 1, name: 'x' },
  { type: 'RotateToken', ownerId: 1, secret: { hash: 'b', sealId: null } },
])('$type is refused with TOKEN_REVOKED for a revoked token, with TOKEN_NOT_FOUND for another owner’s', (command) => {
  const revoke = { type: 'RevokeToken', ownerId: 1 } as const;
  expect(() => token.decide(command, after(issue, revoke))).toThrow(refusal('TOKEN_REVOKED'));
  expect(() => token.decide({ ...command, ownerId: 2 } as TokenCommand, after(issue))).toThrow(
    refusal('TOKEN_NOT_FOUND'),
  );
});

it('keeps no hash in its state', () => {
  expect(JSON.stringify(after(issue))).not.toContain(issue.secret.hash);
});

it('stops at an event of a newer release', () => {
  expect(() => token.evolve(after(issue), { type: 'TokenPainted', data: {} } as unknown as TokenEvent)).toThrow(
    UnknownEventError,
  );
});
