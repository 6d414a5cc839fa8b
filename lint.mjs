// Lints and type-checks with one program for both, because each alone would parse and check every file again:
//   node lint.mjs           every project: a folder with a tsconfig.json
//   node lint.mjs root      that of ./tsconfig.json
//   node lint.mjs nested    those of all other folders
import { existsSync, readdirSync } from 'node:fs';
import { argv, cwd, exit, stderr, stdout } from 'node:process';
import { ESLint } from 'eslint';
import ts from 'typescript';

const nested = ['examples', 'libs', 'test']
  .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}`))
  .filter((folder) => existsSync(`${folder}/tsconfig.json`));
const groups = { all: ['.', ...nested], root: ['.'], nested };
const projects = groups[argv[2] ?? 'all'];
if (projects === undefined) {
  stderr.write(`Expected one of ${Object.keys(groups).join(', ')}. Received: ${argv[2]}.\n`);
  exit(1);
}

const formatting = { getCanonicalFileName: (name) => name, getCurrentDirectory: cwd, getNewLine: () => '\n' };

/** Prints what is wrong in a project. Returns whether it is free of errors and warnings. */
async function check(project) {
  const parsed = ts.getParsedCommandLineOfConfigFile(`${project}/tsconfig.json`, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: (diagnostic) => {
      throw new Error(ts.formatDiagnostic(diagnostic, formatting));
    },
  });
  const program = ts.createProgram({
    rootNames: parsed.fileNames,
    options: parsed.options,
    configFileParsingDiagnostics: parsed.errors,
    host: ts.createCompilerHost(parsed.options, true),
  });
  // First, in the order of tsc: rules resolve types in another order, after which it may find other errors.
  const diagnostics = ts.getPreEmitDiagnostics(program);
  stdout.write(ts.formatDiagnostics(diagnostics, formatting));
  const eslint = new ESLint({
    ignorePatterns: project === '.' ? nested.map((folder) => `${folder}/**`) : [],
    overrideConfig: { languageOptions: { parserOptions: { projectService: false, programs: [program] } } },
  });
  const results = await eslint.lintFiles([project]);
  const formatter = await eslint.loadFormatter('stylish');
  stdout.write(await formatter.format(results));
  return diagnostics.length === 0 && results.every(({ errorCount, warningCount }) => errorCount + warningCount === 0);
}

let passed = true;
for (const project of projects) passed = (await check(project)) && passed;
exit(passed ? 0 : 1);
