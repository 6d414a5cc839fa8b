import { audienceDraft, toAudience } from './audience-draft';

describe('the form of an audience', () => {
  it('gives back the audience that it was filled from', () => {
    const audience = {
      groups: ['beta', 'testers'],
      attributes: { plan: { in: ['pro', 'team'] }, os: { range: '>=17' }, region: { equal: 'eu' } },
    };
    expect(toAudience(audienceDraft(audience))).toEqual(audience);
  });

  it('is for all devices without groups and rules', () => {
    expect(toAudience(audienceDraft(null))).toBeNull();
    expect(toAudience({ pinnedOnly: false, groups: new Set(), rules: { plan: { kind: '', text: 'pro' } } })).toBeNull();
  });

  it('has no other rule if it is for pinned devices alone', () => {
    const draft = { pinnedOnly: true, groups: new Set(['beta']), rules: {} };
    expect(toAudience(draft)).toEqual({ pinned_only: true });
    expect(audienceDraft({ pinned_only: true }).pinnedOnly).toBe(true);
  });

  it('leaves out the part that has no entries', () => {
    expect(toAudience({ pinnedOnly: false, groups: new Set(['beta']), rules: {} })).toEqual({ groups: ['beta'] });
    expect(
      toAudience({ pinnedOnly: false, groups: new Set(), rules: { plan: { kind: 'in', text: ' pro, ,team ' } } }),
    ).toEqual({
      attributes: { plan: { in: ['pro', 'team'] } },
    });
  });
});
