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
  hash: 'a'.repeat(64),
};

const after = (...commands: TokenCommand[]) =>
  commands.reduce((state, command) => evolveAll(token, state, token.decide(command, state)), token.initialState());

const refusal = (code: string) => expect.objectContaining({ code }) as Error;

describe('issuing a token', () => {
  it('given none, issues it with manage in front', () => {
    expect(token.decide(issue, after())).toEqual<TokenEvent[]>([
      { type: 'TokenIssued', data: { ...issue.grant, permissions: ['manage', 'builds.delete'], hash: issue.hash } },
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
      { type: 'TokenRevoked', data: { id: 5 } },
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

it('keeps no hash in its state', () => {
  expect(JSON.stringify(after(issue))).not.toContain(issue.hash);
});

it('stops at an event of a newer release', () => {
  expect(() => token.evolve(after(issue), { type: 'TokenPainted', data: {} } as unknown as TokenEvent)).toThrow(
    UnknownEventError,
  );
});
