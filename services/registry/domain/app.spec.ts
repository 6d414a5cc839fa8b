import { evolveAll, UnknownEventError } from '@sluice/kernel';
import { app, type AppCommand, type AppDetails, type AppEvent } from './app';

const registered = { name: 'Shop', description: 'Sells', platform: 'both' } as const;
const edit = (edits: Partial<AppDetails>): AppCommand => ({ type: 'EditApp', id: 7, registered, edits });
const edited = (edits: Partial<AppDetails>): AppEvent => ({ type: 'AppEdited', data: { id: 7, ...edits } });
const remove: AppCommand = { type: 'StartRemoval', id: 7 };
const removal: AppEvent = { type: 'AppRemovalStarted', data: { id: 7 } };

const given = (...events: AppEvent[]) => ({
  when: (command: AppCommand) => app.decide(command, evolveAll(app, app.initialState(), events)),
});

describe('editing an app', () => {
  it('tells what changed alone', () => {
    expect(given().when(edit({ name: 'Store', platform: 'both' }))).toEqual([edited({ name: 'Store' })]);
    expect(given().when(edit({ description: null }))).toEqual([edited({ description: null })]);
  });

  it('given what it is already, tells nothing', () => {
    expect(given().when(edit({}))).toEqual([]);
    expect(given().when(edit({ name: 'Shop', description: 'Sells' }))).toEqual([]);
    expect(given(edited({ name: 'Store' })).when(edit({ name: 'Store' }))).toEqual([]);
  });

  it('keeps the signing keys for the owner, and gives them back to the tokens', () => {
    const [kept, returned] = [{ signingKeyRotation: 'owner_only' }, { signingKeyRotation: 'any_token' }] as const;
    expect(given().when(edit(returned))).toEqual([]);
    expect(given().when(edit({ ...kept, uniqueSignatures: true }))).toEqual([
      edited({ ...kept, uniqueSignatures: true }),
    ]);
    expect(given(edited(kept)).when(edit(kept))).toEqual([]);
    expect(given(edited(kept)).when(edit(returned))).toEqual([edited(returned)]);
  });

  it('keeps the number of builds that the owner sets, and null puts back that of the installation', () => {
    expect(given().when(edit({ keepBuilds: null }))).toEqual([]);
    expect(given().when(edit({ keepBuilds: 5 }))).toEqual([edited({ keepBuilds: 5 })]);
    expect(given(edited({ keepBuilds: 5 })).when(edit({ name: 'Store' }))).toEqual([edited({ name: 'Store' })]);
    expect(given(edited({ keepBuilds: 5 })).when(edit({ keepBuilds: null }))).toEqual([edited({ keepBuilds: null })]);
    expect(given(edited({ keepBuilds: 5 })).when(edit({ keepBuilds: 0 }))).toEqual([edited({ keepBuilds: 0 })]);
  });

  it('given an edit, can be put back as it was registered', () => {
    expect(given(edited({ name: 'Store', platform: 'ios' })).when(edit({ name: 'Shop' }))).toEqual([
      edited({ name: 'Shop' }),
    ]);
  });
});

describe('removing an app', () => {
  it('starts', () => expect(given(edited({ name: 'Store' })).when(remove)).toEqual([removal]));

  it.each([
    ['another removal', remove],
    ['an edit', edit({ name: 'Store' })],
    ['an edit that changes nothing', edit({})],
  ])('given its start, refuses %s as APP_NOT_FOUND', (_, command) => {
    expect(() => given(removal).when(command)).toThrow(expect.objectContaining({ code: 'APP_NOT_FOUND' }) as Error);
  });
});

it('stops at an event of a newer release', () => {
  expect(() => given({ type: 'AppPainted', data: {} } as unknown as AppEvent).when(remove)).toThrow(UnknownEventError);
});
