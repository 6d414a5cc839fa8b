import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

export interface ReplacedWord {
  /** From 1. */
  readonly line: number;
  readonly found: string;
  readonly instead: string;
}

interface Text {
  readonly line: number;
  readonly text: string;
}

const PAGE = 'docs/language.md';

/** The rows of the table in docs/language.md. `N` is any digit. */
const WORDS = readFileSync(join(__dirname, '..', '..', PAGE), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => {
    const [, words = '', instead = ''] = line.split('|').map((cell) => cell.trim());
    const phrases = [...words.matchAll(/`([^`]+)`/g)].map(([, phrase = '']) =>
      phrase.replaceAll(' ', '\\s+').replace('N', '[0-9]'),
    );
    return { words: new RegExp(`\\b(${phrases.join('|')})\\b`, 'gi'), instead };
  });

/** Of comments, strings, templates and text of JSX in code, and of every line of other files. Names in code are free. */
export function replacedWords(file: string, content: string): ReplacedWord[] {
  const texts = /\.(tsx?|[mc]js)$/.test(file) ? textsOf(file, content) : linesOf(file, content);
  return texts.flatMap(({ line, text }) =>
    WORDS.flatMap(({ words, instead }) =>
      [...text.matchAll(words)].map(({ 0: found, index }) => ({
        line: line + text.slice(0, index).split('\n').length - 1,
        found,
        instead,
      })),
    ),
  );
}

function linesOf(file: string, content: string): Text[] {
  const lines = content.split('\n').map((text, index) => ({ line: index + 1, text }));
  return file === PAGE ? lines.filter(({ text }) => !text.startsWith('| `')) : lines;
}

function textsOf(file: string, content: string): Text[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  const source = ts.createSourceFile(file, content, ts.ScriptTarget.Latest, true, kind);
  const texts: Text[] = [];
  const comments = new Set<number>();
  const add = (start: number, text: string) =>
    texts.push({ line: source.getLineAndCharacterOfPosition(start).line + 1, text });
  const visit = (node: ts.Node): void => {
    const ranges = [
      ...(ts.getLeadingCommentRanges(content, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(content, node.end) ?? []),
    ];
    for (const { pos, end } of ranges) {
      if (comments.has(pos)) continue;
      comments.add(pos);
      // A phrase may continue on the next line of the comment.
      add(pos, content.slice(pos, end).replace(/^\s*(\*|\/\/)/gm, ''));
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
