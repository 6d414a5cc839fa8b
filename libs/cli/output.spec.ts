import { Writable } from 'node:stream';
import { createOutput, type Columns } from './output';
import type { Terminal } from './terminal';

interface Item {
  readonly id: number;
  readonly note: string | null;
}

const COLUMNS: Columns<Item> = { id: 'id', 'the note': 'note', twice: ({ id }) => (id > 1 ? id * 2 : undefined) };

function outputOf(json: boolean) {
  const written: string[] = [];
  const stdout = new Writable({
    write(chunk, _encoding, done) {
      written.push(String(chunk));
      done();
    },
  });
  const output = createOutput({ stdout, stderr: stdout, env: {} } as unknown as Terminal, json);
  return { output, text: () => written.join('') };
}

describe('createOutput', () => {
  it('fills a table from the names of members and from functions', async () => {
    const { output, text } = outputOf(false);
    await output.list(
      [
        { id: 1, note: null },
        { id: 2, note: 'new' },
      ],
      COLUMNS,
    );
    expect(text().replace(/ +/g, ' ')).toBe('id the note twice\n1 - -\n2 new 4\n');
  });

  it('describes one value by the same columns, without those that are undefined', () => {
    const { output, text } = outputOf(false);
    output.result({ id: 1, note: 'new' }, COLUMNS);
    expect(text()).toBe('id        1\nthe note  new\n');
  });

  it('prints the value itself as JSON', () => {
    const { output, text } = outputOf(true);
    output.result({ id: 1, note: null }, COLUMNS);
    expect(JSON.parse(text())).toEqual({ id: 1, note: null });
    expect(output.json({ other: true })).toBe(true);
  });

  it('answers false without --json, and prints nothing', () => {
    const { output, text } = outputOf(false);
    expect(output.json({ id: 1 })).toBe(false);
    expect(text()).toBe('');
  });
});
