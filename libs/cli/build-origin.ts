import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type BuildMetadata, buildMetadataSchema } from '@sluice/contracts';
import { InvalidArgumentError } from './commander';
import { UsageError } from './failure';

type Env = Readonly<Record<string, string | undefined>>;
type Fact = 'commit' | 'commit_url' | 'branch' | 'tag' | 'author' | 'repository' | 'run_url';
type Facts = Readonly<Partial<Record<Fact, string | undefined>>>;

const GIT_TIMEOUT_MS = 5_000;
const HASH = /^[0-9a-f]{40,64}$/;

/** By the variable that a CI sets in every run. */
const SYSTEMS: Readonly<Record<string, (env: Env) => Facts>> = {
  GITHUB_ACTIONS: (env) => {
    const repository = joined(env['GITHUB_SERVER_URL'], env['GITHUB_REPOSITORY']);
    const isTag = env['GITHUB_REF_TYPE'] === 'tag';
    return {
      commit: env['GITHUB_SHA'],
      commit_url: joined(repository, 'commit', env['GITHUB_SHA']),
      branch: env['GITHUB_HEAD_REF'] || (isTag ? undefined : env['GITHUB_REF_NAME']),
      tag: isTag ? env['GITHUB_REF_NAME'] : undefined,
      repository,
      run_url: joined(repository, 'actions/runs', env['GITHUB_RUN_ID']),
    };
  },
  GITLAB_CI: (env) => ({
    commit: env['CI_COMMIT_SHA'],
    commit_url: joined(env['CI_PROJECT_URL'], '-/commit', env['CI_COMMIT_SHA']),
    branch: env['CI_COMMIT_BRANCH'] || env['CI_MERGE_REQUEST_SOURCE_BRANCH_NAME'],
    tag: env['CI_COMMIT_TAG'],
    author: env['CI_COMMIT_AUTHOR'],
    repository: env['CI_PROJECT_URL'],
    run_url: env['CI_PIPELINE_URL'],
  }),
  BUILDKITE: (env) => ({
    commit: env['BUILDKITE_COMMIT'],
    branch: env['BUILDKITE_TAG'] ? undefined : env['BUILDKITE_BRANCH'],
    tag: env['BUILDKITE_TAG'],
    author: env['BUILDKITE_BUILD_AUTHOR'],
    repository: env['BUILDKITE_REPO'],
    run_url: env['BUILDKITE_BUILD_URL'],
  }),
  JENKINS_URL: (env) => ({
    commit: env['GIT_COMMIT'],
    branch: env['TAG_NAME']
      ? undefined
      : env['CHANGE_BRANCH'] || env['BRANCH_NAME'] || env['GIT_BRANCH']?.replace(/^origin\//, ''),
    tag: env['TAG_NAME'],
    repository: env['GIT_URL'],
    run_url: env['BUILD_URL'],
  }),
};

/** Undefined: a part is missing. */
function joined(...parts: readonly (string | undefined)[]): string | undefined {
  return parts.every((part) => part) ? parts.join('/') : undefined;
}

/**
 * What the CI states about this run, and git about the commit that `folder` has checked out. git adds only what the CI
 * leaves out, and nothing when the CI builds another commit. Names are without email addresses, and URLs without
 * credentials, query and fragment. A value that metadata can't hold is left out.
 */
export async function originOf(folder: string, env: Env): Promise<BuildMetadata> {
  const [, factsOf] = Object.entries(SYSTEMS).find(([variable]) => env[variable]) ?? [];
  const stated = clean(factsOf?.(env) ?? {});
  const checkedOut = clean(await gitFacts(folder, env));
  const isSame = stated['commit'] === undefined || stated['commit'] === checkedOut['commit'];
  return isSame ? { ...checkedOut, ...stated } : stated;
}

/**
 * Adds pairs to what was filled in. A pair wins over what was filled in, and takes it away when its value is empty.
 * @throws UsageError when there are too many
 */
export function mergedMetadata(filledIn: BuildMetadata, pairs: readonly (readonly [string, string])[]): BuildMetadata {
  const merged = Object.entries({ ...filledIn, ...Object.fromEntries(pairs) }).filter(([, value]) => value !== '');
  const checked = buildMetadataSchema.safeParse(Object.fromEntries(merged));
  if (checked.success) return checked.data;
  throw new UsageError(checked.error.issues[0]?.message ?? 'The metadata is invalid.');
}

/** @throws InvalidArgumentError when it is no `key=value`, or no server takes it */
export function parsePair(text: string): readonly [key: string, value: string] {
  const [, key, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (key === undefined || value === undefined) {
    throw new InvalidArgumentError('It must be a key, "=" and a value, such as ticket=APP-12.');
  }
  const pair = [key, withoutCredentials(value)] as const;
  const checked = buildMetadataSchema.safeParse(Object.fromEntries([pair]));
  if (checked.success) return pair;
  throw new InvalidArgumentError(checked.error.issues[0]?.message ?? 'It is invalid.');
}

async function gitFacts(folder: string, env: Env): Promise<Facts> {
  const git = async (...args: string[]): Promise<string | undefined> => {
    const options = { cwd: folder, env: { ...env, GIT_OPTIONAL_LOCKS: '0' }, timeout: GIT_TIMEOUT_MS };
    // Without git, outside of a work tree, or where the fact is missing, there is nothing to add.
    return promisify(execFile)('git', args, options).then(
      ({ stdout }) => stdout,
      () => undefined,
    );
  };
  const [head, branch, repository] = await Promise.all([
    // A signature is not shown: to check it, git would start the program that the repository names.
    git('log', '-1', '--no-show-signature', '--format=%H%n%an'),
    git('symbolic-ref', '--quiet', '--short', 'HEAD'),
    git('config', '--get', 'remote.origin.url'),
  ]);
  const [commit, author] = head?.split('\n') ?? [];
  return commit === undefined ? {} : { commit, branch, author, repository };
}

function clean(facts: Facts): BuildMetadata {
  const cleaned = Object.entries(facts).flatMap(([key, stated]) => {
    const value = cleanValue(key as Fact, stated?.trim() ?? '');
    const fits = value !== '' && buildMetadataSchema.safeParse({ [key]: value }).success;
    return fits ? [[key, value] as const] : [];
  });
  return Object.fromEntries(cleaned);
}

/** Empty: it is none. */
function cleanValue(key: Fact, value: string): string {
  switch (key) {
    case 'commit':
      return HASH.test(value) ? value : '';
    case 'author':
      return value.replace(/\s*<[^<>]*>\s*$/, '');
    case 'commit_url':
    case 'run_url':
      return /^https?:\/\/[^/]/.test(value) ? withoutCredentials(value).replace(/[?#].*$/s, '') : '';
    case 'repository':
      return withoutCredentials(value).replace(/[?#].*$/s, '');
    case 'branch':
    case 'tag':
      return value;
  }
}

/** Takes user name and password out of each URL in a text. */
function withoutCredentials(text: string): string {
  return text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi, '$1');
}
