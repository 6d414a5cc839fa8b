import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '@sluice/testing';
import { mergedMetadata, originOf, parsePair } from './build-origin';

const COMMIT = '4f2a9c1d0e5b6a7c8d9e0f1a2b3c4d5e6f7a8b9c';
const GITHUB = {
  ...{ GITHUB_ACTIONS: 'true', GITHUB_SERVER_URL: 'https://github.com', GITHUB_REPOSITORY: 'shop/app' },
  ...{ GITHUB_SHA: COMMIT, GITHUB_RUN_ID: '7', GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'main' },
};
const GITLAB = {
  ...{ GITLAB_CI: 'true', CI_PROJECT_URL: 'https://gitlab.com/shop/app', CI_COMMIT_SHA: COMMIT },
  ...{ CI_COMMIT_BRANCH: 'main', CI_COMMIT_AUTHOR: 'Ada Lovelace <ada@example.com>' },
  CI_PIPELINE_URL: 'https://gitlab.com/shop/app/-/pipelines/7',
};
const BUILDKITE = {
  ...{ BUILDKITE: 'true', BUILDKITE_COMMIT: COMMIT, BUILDKITE_BRANCH: 'main', BUILDKITE_TAG: '' },
  ...{ BUILDKITE_BUILD_AUTHOR: 'Ada Lovelace', BUILDKITE_REPO: 'git@github.com:shop/app.git' },
  BUILDKITE_BUILD_URL: 'https://buildkite.com/shop/app/builds/7',
};
const JENKINS = {
  ...{ JENKINS_URL: 'https://ci.example.com/', GIT_COMMIT: COMMIT, GIT_BRANCH: 'origin/main' },
  ...{ GIT_URL: 'https://git.example.com/shop/app.git', BUILD_URL: 'https://ci.example.com/job/app/7/' },
};

const hasGit = spawnSync('git', ['--version']).error === undefined;
const gitMissing = hasGit ? '' : ' (git is missing)';

describe('the origin that a CI states', () => {
  const origin = (env: Readonly<Record<string, string>>) => originOf(temporaryDirectory(), env);

  it('is read from GitHub Actions', async () => {
    const repository = 'https://github.com/shop/app';
    const branch = {
      ...{ commit: COMMIT, commit_url: `${repository}/commit/${COMMIT}`, branch: 'main', repository },
      run_url: `${repository}/actions/runs/7`,
    };
    expect(await origin(GITHUB)).toEqual(branch);
    const tag = await origin({ ...GITHUB, GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.4.0' });
    expect([tag['tag'], tag['branch']]).toEqual(['v1.4.0', undefined]);
    expect((await origin({ ...GITHUB, GITHUB_HEAD_REF: 'fix', GITHUB_REF_NAME: '7/merge' }))['branch']).toBe('fix');
  });

  it('is read from GitLab CI, without the email address of the author', async () => {
    expect(await origin(GITLAB)).toEqual({
      ...{ commit: COMMIT, commit_url: `https://gitlab.com/shop/app/-/commit/${COMMIT}`, branch: 'main' },
      ...{ author: 'Ada Lovelace', repository: 'https://gitlab.com/shop/app' },
      run_url: 'https://gitlab.com/shop/app/-/pipelines/7',
    });
  });

  it('is read from Buildkite, whose commit may not be known yet', async () => {
    const rest = {
      ...{ branch: 'main', author: 'Ada Lovelace', repository: 'git@github.com:shop/app.git' },
      run_url: 'https://buildkite.com/shop/app/builds/7',
    };
    expect(await origin(BUILDKITE)).toEqual({ commit: COMMIT, ...rest });
    expect(await origin({ ...BUILDKITE, BUILDKITE_COMMIT: 'HEAD' })).toEqual(rest);
  });

  it('is read from Jenkins', async () => {
    expect(await origin(JENKINS)).toEqual({
      ...{ commit: COMMIT, branch: 'main', repository: 'https://git.example.com/shop/app.git' },
      run_url: 'https://ci.example.com/job/app/7/',
    });
    const change = { BRANCH_NAME: 'PR-7', CHANGE_BRANCH: 'fix' };
    expect((await origin({ ...JENKINS, ...change }))['branch']).toBe('fix');
  });

  it('holds no credentials, no query, and nothing that a server rejects', async () => {
    const found = await origin({
      ...JENKINS,
      GIT_URL: 'https://ada:p@ss:word@git.example.com/shop/app.git?private_token=secret',
      BUILD_URL: 'https://bot:secret@ci.example.com/job/app/7/?token=secret#secret',
      BRANCH_NAME: `a\nb`,
      TAG_NAME: '',
      CI_JOB_TOKEN: 'secret',
      SLUICE_TOKEN: 'secret',
    });
    expect(found).toEqual({
      ...{ commit: COMMIT, repository: 'https://git.example.com/shop/app.git' },
      run_url: 'https://ci.example.com/job/app/7/',
    });
    const plain = await origin({ ...JENKINS, BUILD_URL: 'javascript:alert(1)', GIT_BRANCH: 'x'.repeat(501) });
    expect(Object.keys(plain)).toEqual(['commit', 'repository']);
  });

  it('is nothing without a CI and git', async () => {
    expect(await origin({})).toEqual({});
    expect(await origin({ CI: 'true', GIT_COMMIT: COMMIT })).toEqual({});
  });
});

describe(`the origin that git states${gitMissing}`, () => {
  const test = hasGit ? it : it.skip;
  const PATH = process.env['PATH'] ?? '';
  let folder: string;
  let head: string;
  const git = (...args: string[]) => {
    const author = { GIT_AUTHOR_NAME: 'Ada Lovelace', GIT_AUTHOR_EMAIL: 'ada@example.com' };
    const committer = { GIT_COMMITTER_NAME: 'bot', GIT_COMMITTER_EMAIL: 'bot@example.com' };
    const env = { PATH, HOME: folder, ...author, ...committer };
    return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  };

  beforeEach(() => {
    if (!hasGit) return;
    folder = temporaryDirectory();
    git('init', '--quiet', '--initial-branch', 'main');
    git('commit', '--quiet', '--allow-empty', '--message', 'First');
    git('config', 'remote.origin.url', 'https://bot:secret@git.example.com/shop/app.git');
    head = git('rev-parse', 'HEAD');
  });

  test('is that of the commit whose work tree holds the bundle', async () => {
    const stated = { commit: head, author: 'Ada Lovelace', repository: 'https://git.example.com/shop/app.git' };
    mkdirSync(join(folder, 'www'));
    expect(await originOf(join(folder, 'www'), { PATH })).toEqual({ ...stated, branch: 'main' });
    git('checkout', '--quiet', '--detach');
    expect(await originOf(folder, { PATH })).toEqual(stated);
  });

  test('is added to that of a CI that builds the same commit, and to no other', async () => {
    const same = await originOf(folder, { PATH, ...GITHUB, GITHUB_SHA: head });
    expect(same).toMatchObject({ author: 'Ada Lovelace', repository: 'https://github.com/shop/app' });
    expect(await originOf(folder, { PATH, ...GITHUB })).not.toHaveProperty('author');
  });

  test('starts no program that the repository names', async () => {
    const [program, started] = [join(folder, 'gpg'), join(folder, 'started')];
    writeFileSync(program, `#!/bin/sh\ntouch '${started}'\n`, { mode: 0o755 });
    git('config', 'gpg.program', program);
    git('config', 'log.showSignature', 'true');
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n -----END PGP SIGNATURE-----\n';
    writeFileSync(join(folder, 'signed'), git('cat-file', 'commit', 'HEAD').replace(/(?<=^committer.*\n)/m, signature));
    git('update-ref', 'HEAD', git('hash-object', '-t', 'commit', '-w', 'signed'));
    expect(await originOf(folder, { PATH })).toMatchObject({ author: 'Ada Lovelace' });
    expect(existsSync(started)).toBe(false);
    git('log', '-1');
    expect(existsSync(started)).toBe(true);
  });
});

describe('pairs of metadata', () => {
  it('are a key and a value, which may hold more of "="', () => {
    expect(parsePair('ticket=APP-12')).toEqual(['ticket', 'APP-12']);
    expect(parsePair('query=a=b')).toEqual(['query', 'a=b']);
    expect(parsePair('link=see https://ada:secret@git.example.com/x')).toEqual([
      ...['link', 'see https://git.example.com/x'],
    ]);
    for (const text of ['ticket', '=x', '']) expect(() => parsePair(text)).toThrow('such as ticket=APP-12');
    expect(() => parsePair('Ticket=x')).toThrow('lower-case letter');
    expect(() => parsePair(`ticket=${'x'.repeat(501)}`)).toThrow('(501 characters)');
  });

  it('win over what was filled in, and take it away when they are empty', () => {
    const filledIn = { commit: COMMIT, branch: 'main', author: 'Ada Lovelace' };
    expect(
      mergedMetadata(filledIn, [
        ['branch', 'release'],
        ['author', ''],
      ]),
    ).toEqual({
      ...{ commit: COMMIT, branch: 'release' },
    });
    const many = Array.from({ length: 20 }, (_, index) => [`key${index}`, 'x'] as const);
    expect(() => mergedMetadata(filledIn, many)).toThrow('at most 20 pairs. Received: 23.');
  });
});
