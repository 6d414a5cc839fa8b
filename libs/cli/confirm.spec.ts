import { confirm, mayAsk } from './confirm';
import type { Context } from './context';

const contextOf = (answer: string, interactive = true) =>
  ({ terminal: { interactive, ask: () => Promise.resolve(answer) } }) as unknown as Context;

describe('confirm', () => {
  it.each(['y', ' YES '])('continues after %j', async (answer) => {
    await confirm('delete key 1', 'Nothing was deleted.', {}, contextOf(answer), () => 'Delete key 1?');
  });

  it.each(['', 'n', 'yesterday'])('fails after %j', async (answer) => {
    const asked = confirm('delete key 1', 'Nothing was deleted.', {}, contextOf(answer), () => 'Delete key 1?');
    await expect(asked).rejects.toMatchObject({ code: 'NOT_CONFIRMED', message: 'Nothing was deleted.' });
  });

  it('asks a person at a terminal alone, unless they said yes or want JSON', () => {
    expect(mayAsk({}, contextOf(''))).toBe(true);
    expect(mayAsk({}, contextOf('', false))).toBe(false);
    expect(mayAsk({ yes: true }, contextOf(''))).toBe(false);
    expect(mayAsk({ json: true }, contextOf(''))).toBe(false);
  });
});
