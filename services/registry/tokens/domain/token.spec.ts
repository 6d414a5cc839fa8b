import { UnknownEventError } from '@sluice/kernel';
import { eventTime, specify } from '@sluice/testing';
import { token, type IssueToken, type TokenCommand, type TokenEvent, tokenStream } from './token';

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

const { after, evolve } = specify(token);

describe('issuing a token', () => {
  it('given none, issues it with manage in front', () => {
    after()
      .when(issue)
      .then({
        type: 'TokenIssued',
        data: { ...issue.grant, permissions: ['manage', 'builds.delete'], ...issue.secret },
      });
  });

  it('names each permission and app once', () => {
    const doubled: IssueToken = {
      ...issue,
      grant: { ...issue.grant, permissions: ['keys.delete', 'manage', 'keys.delete'], apps: [3, 3, 2] },
    };
    expect(after().when(doubled).events[0]).toMatchObject({
      data: { permissions: ['manage', 'keys.delete'], apps: [3, 2] },
    });
  });

  it('given an id that is issued already, throws', () => {
    after(issue).when(issue).rejects({ message: 'The token 5 is issued already.' });
  });
});

describe('revoking a token', () => {
  it('given a valid token, revokes it', () => {
    after(issue)
      .when({ type: 'RevokeToken', ownerId: 1 })
      .then({ type: 'TokenRevoked', data: { id: 5, formerSealId: 'shown-1' } });
  });

  it('given a revoked token, changes nothing', () => {
    const revoke = { type: 'RevokeToken', ownerId: 1 } as const;
    after(issue, revoke).when(revoke).then();
  });

  it("rejects TOKEN_NOT_FOUND for no token and for another owner's alike", () => {
    after().when({ type: 'RevokeToken', ownerId: 1 }).rejects('TOKEN_NOT_FOUND');
    after(issue).when({ type: 'RevokeToken', ownerId: 2 }).rejects('TOKEN_NOT_FOUND');
  });
});

describe('editing a token', () => {
  const edit = (changes: object): TokenCommand => ({ type: 'EditToken', ownerId: 1, ...changes });
  const unchanged: Extract<TokenEvent, { type: 'TokenEdited' }>['data'] = {
    id: 5,
    name: 'ci',
    permissions: ['manage', 'builds.delete'],
    allApps: false,
    apps: [2, 3],
    ownAppsAfter: 0,
    expiresAt: '2030-01-01T00:00:00.000Z',
  };

  it.each<[string, object, Partial<Extract<TokenEvent, { type: 'TokenEdited' }>['data']>]>([
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
    after(issue)
      .when(edit(changes))
      .then({ type: 'TokenEdited', data: { ...unchanged, ...expected } });
  });

  it('given the same again, changes nothing', () => {
    const all = edit({ reach: { allApps: true, apps: [], ownAppsAfter: 11 } });
    after(issue).when(edit({})).then();
    after(issue)
      .when(edit({ name: 'ci', permissions: ['builds.delete'] }))
      .then();
    after(issue, all)
      .when(edit({ reach: { allApps: true, apps: [], ownAppsAfter: 12 } }))
      .then();
  });
});

describe('rotating a token', () => {
  const rotate: TokenCommand = { type: 'RotateToken', ownerId: 1, secret: { hash: 'b'.repeat(64), sealId: null } };

  it('given a valid token, gives it another secret, and names the seal of the former', () => {
    after(issue)
      .when(rotate)
      .then({ type: 'TokenRotated', data: { id: 5, hash: 'b'.repeat(64), sealId: null, formerSealId: 'shown-1' } });
    expect(after(issue, rotate).state).toEqual({ ...after(issue).state, sealId: null });
  });
});

it.each<TokenCommand>([
  { type: 'EditToken', ownerId: 1, name: 'x' },
  { type: 'RotateToken', ownerId: 1, secret: { hash: 'b', sealId: null } },
])('$type is refused with TOKEN_REVOKED for a revoked token, with TOKEN_NOT_FOUND for another owner’s', (command) => {
  const revoke = { type: 'RevokeToken', ownerId: 1 } as const;
  after(issue, revoke).when(command).rejects('TOKEN_REVOKED');
  after(issue)
    .when({ ...command, ownerId: 2 } as TokenCommand)
    .rejects('TOKEN_NOT_FOUND');
});

it('keeps no hash in its state', () => {
  expect(JSON.stringify(after(issue).state)).not.toContain(issue.secret.hash);
});

it('stops at an event of a newer release', () => {
  const unknown = { type: 'TokenPainted', data: {} } as unknown as TokenEvent;
  expect(() => evolve(after(issue).state, [unknown])).toThrow(UnknownEventError);
});

it.each<TokenCommand>([
  { ...issue, grant: { ...issue.grant, id: 6, name: '' } },
  { type: 'EditToken', ownerId: 1, name: '' },
])('rejects a name that is blank: $type', (command) => {
  (command.type === 'IssueToken' ? after() : after(issue))
    .when(command)
    .rejects({ errors: { name: ['The name must not be empty.'] } });
});

it('remembers when the token was issued', () => {
  expect(after(issue, { type: 'RevokeToken', ownerId: 1 }).state?.createdAt).toBe(eventTime(0));
});

it('keeps its events in the stream token-3', () => {
  expect(tokenStream(3)).toBe('token-3');
});
