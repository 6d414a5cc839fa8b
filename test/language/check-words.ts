import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { replacedWords } from './replaced-words';

/** `npm run words -- [PATH...]`: lists the words of docs/language.md in the files of the paths, or in all files. */
const CHECKED = /\.(tsx?|[mc]js|md|ya?ml|html)$/;
// Golden events and the changelog are history; the spec has examples.
const OTHERS = /^CHANGELOG\.md$|\/golden\/|^test\/language\/.*\.spec\.ts$/;

const paths = process.argv.slice(2);
if (paths.length === 0) paths.push('.');
const files = execFileSync('git', ['ls-files', '--', ...paths], { encoding: 'utf8', maxBuffer: 1e8 })
  .split('\n')
  .filter((file) => CHECKED.test(file) && !OTHERS.test(file));

let count = 0;
for (const file of files) {
  for (const { line, found, instead } of replacedWords(file, readFileSync(file, 'utf8'))) {
    console.log(`${file}:${line}: "${found.replace(/\s+/g, ' ')}". Write: ${instead}`);
    count += 1;
  }
}
if (count > 0) {
  console.log(`${count} words to replace; docs/language.md has the rules.`);
  process.exitCode = 1;
}
