import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { runProgram } from './shell';

/** A step of a workflow or of a composite action of GitHub. */
export interface WorkflowStep {
  readonly id?: string;
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}

type Variables = Readonly<Record<string, string>>;

interface StepsContext {
  readonly cwd: string;
  /** Of the job. */
  readonly env?: Variables;
  /** Variables of the machine, which are not evaluated. */
  readonly machine?: Variables;
  /** The values of the expressions, such as `inputs.version`. */
  readonly expressions: Variables;
}

/** Puts the values of expressions in. @throws Error for an expression without a value */
export function evaluate(text: string, expressions: Variables): string {
  return text.replace(/\$\{\{ (\S+) \}\}/g, (_, expression: string) => {
    const value = expressions[expression];
    if (value === undefined) throw new Error(`No value is given for the expression ${expression}.`);
    return value;
  });
}

/**
 * Runs the `run` of each step as GitHub's runner does: with bash, the exported variables of earlier steps, and `if` of the
 * form `expression == 'value'`. Skips the steps that use an action. Returns the expressions, with the outputs of the steps.
 */
export async function runSteps(
  steps: readonly WorkflowStep[],
  { cwd, env: jobEnv, machine, expressions }: StepsContext,
): Promise<Variables> {
  const folder = temporaryDirectory();
  const known: Record<string, string> = { ...expressions };
  const exported: Record<string, string> = {};
  const evaluated = (env: Variables = {}) =>
    Object.fromEntries(Object.entries(env).map(([name, value]) => [name, evaluate(value, known)]));
  for (const step of steps) {
    const [, left, wanted] = /^(\S+) == '(\w+)'$/.exec(step.if ?? '') ?? [];
    if (step.run === undefined || (step.if !== undefined && known[left!] !== wanted)) continue;
    const [GITHUB_ENV, GITHUB_OUTPUT] = [join(folder, 'env'), join(folder, 'output')];
    for (const file of [GITHUB_ENV, GITHUB_OUTPUT]) await writeFile(file, '');
    const env = { ...machine, ...evaluated(jobEnv), ...exported, ...evaluated(step.env), GITHUB_ENV, GITHUB_OUTPUT };
    await runProgram(['bash', '-e', '-o', 'pipefail', '-c', evaluate(step.run, known)], { cwd, env });
    Object.assign(exported, await variablesOf(GITHUB_ENV));
    for (const [name, value] of Object.entries(await variablesOf(GITHUB_OUTPUT)))
      known[`steps.${step.id!}.outputs.${name}`] = value;
  }
  return known;
}

async function variablesOf(file: string): Promise<Variables> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
