// Rejects words that LANGUAGE replaces, in everything that people read: text in code, comments and documents.
// Usage: node test/language/check-words.mjs [PATH...]; without paths, every file of the repository.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import ts from 'typescript';

/** What to write instead, by the words that are rejected. */
const REPLACED = [
  [
    /\b(is|are|was|were|be|been|being) told\b|\btells\b|\btell(ing)? (of|about|nothing|no)\b/i,
    'reports, returns, is notified',
  ],
  [/\bnobody\b|\bwhoever\b/i, 'no client, unused; the caller'],
  [/\bat once\b/i, 'immediately, or: simultaneously'],
  [/\bstands\b|\bstand still\b|\bstood still\b/i, 'is, is defined'],
  [/\b(goes|went|go|going|gone) on\b/i, 'continues'],
  [/\bbeside\b/i, 'next to, in addition to'],
  [/\b(is|are|was|were|be) away\b|\b(is|are|was|were|be) there again\b/i, 'is unavailable, is available again'],
  [/\banew\b/i, 'again; rebuilt'],
  [/\bfor ever\b|\bfor good\b/i, 'permanently'],
  [/\bmend(s|ed|ing)?\b/i, 'fix, repair'],
  [/\bcounts? no more\b/i, 'is no longer valid'],
  [/\banswers? leaves?\b/i, 'a response is sent'],
  [/\bwhat (is|was) (asked|typed)\b/i, 'the request, the input'],
  [/\bremote side\b/i, 'Google Merchant Center, or: the merchant API'],
  [/\bcomes? too late\b|\b(is|are|was|were) late\b/i, 'is delayed, times out'],
  [/\bspec(ification)? [1-9]\b/i, 'the reason itself; rules are in docs/conformance'],
];

const OTHERS = /package-lock\.json|^CHANGELOG\.md$|^test\/language\/|\/golden\/|\.(snap|svg|png|json|zip|pem|css|sh)$/;

const listed = execFileSync('git', ['ls-files', '--', ...process.argv.slice(2)], { encoding: 'utf8', maxBuffer: 1e8 });
let faults = 0;
for (const file of listed.split('\n').filter((path) => path !== '' && !OTHERS.test(path))) {
  const texts = /\.(ts|tsx|mjs|cjs)$/.test(file) ? textsOf(file) : /\.(md|ya?ml|html)$/.test(file) ? linesOf(file) : [];
  for (const { line, text } of texts) {
    for (const [words, instead] of REPLACED) {
      const found = words.exec(text);
      if (found === null) continue;
      faults += 1;
      const at = line + (text.slice(0, found.index).match(/\n/g)?.length ?? 0);
      console.error(`${file}:${at}: "${found[0]}": write ${instead}`);
    }
  }
}
if (faults > 0) {
  console.error(`${faults} replaced words. docs/language.md has the rules.`);
  process.exitCode = 1;
}

function linesOf(file) {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((text, index) => ({ line: index + 1, text }));
}

/** Comments, strings, templates and text of JSX; never names. */
function textsOf(file) {
  const content = readFileSync(file, 'utf8');
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true, file.endsWith('x') ? 4 : 3);
  const texts = [];
  const add = (start, text) => texts.push({ line: source.getLineAndCharacterOfPosition(start).line + 1, text });
  const comments = new Set();
  const visit = (node) => {
    for (const range of [
      ...(ts.getLeadingCommentRanges(content, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(content, node.end) ?? []),
    ]) {
      if (comments.has(range.pos)) continue;
      comments.add(range.pos);
      // The words of a comment go on over its lines.
      add(
        range.pos,
        content.slice(range.pos, range.end).replace(/\n\s*(\*|\/\/) /g, (gap) => '\n'.padEnd(gap.length)),
      );
    }
    if (
      ts.isStringLiteralLike(node) ||
      ts.isTemplateHead(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isJsxText(node)
    ) {
      add(node.getStart(), node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
}
