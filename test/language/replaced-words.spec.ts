import { replacedWords } from './replaced-words';

const words = (file: string, content: string) =>
  replacedWords(file, content).map(({ line, found }) => `${line}: ${found}`);

describe('replaced words', () => {
  it('are found in documents, with their lines', () => {
    expect(words('docs/x.md', 'The server\ntells whoever asks.')).toEqual(['2: tells', '2: whoever']);
  });

  it('are found in comments, also across lines', () => {
    expect(words('x.ts', 'const a = 1; // is told\n/**\n * It goes\n * on.\n */\nconst b = 2;')).toEqual([
      '1: is told',
      '3: goes\n on',
    ]);
  });

  it('are found in strings, templates and JSX', () => {
    const code = "const a = 'at once';\nconst b = `anew ${a} beside`;\nconst c = <p>for ever</p>;";
    expect(words('x.tsx', code)).toEqual(['1: at once', '2: anew', '2: beside', '3: for ever']);
  });

  it('may be names in code', () => {
    expect(words('x.ts', 'const nobody = stands(anew);')).toEqual([]);
  });

  it('are found with any digit for N, and not within other words', () => {
    expect(words('docs/x.md', 'See spec 4. Understands, amends, beside_s, spec N')).toEqual(['1: spec 4']);
  });

  it('are not found in their own table', () => {
    expect(words('docs/language.md', '| `anew` | again |\nanew')).toEqual(['2: anew']);
  });
});
