import type { App, Build, BuildFiles } from '@sluice/contracts';
import { Link } from 'wouter';
import { ApiError } from '../../../api/client';
import { useGet } from '../../../api/queries';
import { numbers, rowHead, Section, Table } from '../../../parts/page';
import { QueryState } from '../../../parts/states';
import { size } from '../../../parts/values';
import * as texts from '../../../texts/build-files';
import { versionOf } from '../../../texts/shared';

/** Of a table before it is opened. */
const SHOWN = 5;
const INDEXING_MS = 10_000;

/** What changed in the files of a build since the previous one of its channel. */
export function BuildFilesSection({ app, build }: { readonly app: App; readonly build: Build }) {
  const files = useGet<BuildFiles>(`/apps/${app.id}/builds/${build.id}/files`, ['stats', app.id], {
    staleTime: Infinity,
    refetchInterval: ({ state }) =>
      state.error instanceof ApiError && state.error.status === 503 ? INDEXING_MS : false,
  });
  // It was never active.
  if (files.error instanceof ApiError && files.error.code === 'BUILD_NOT_FOUND') return null;
  return (
    <Section title={texts.title}>
      <QueryState of={files} what={texts.loading} />
      {files.data !== undefined && <Files app={app} files={files.data} />}
    </Section>
  );
}

function Files({ app, files }: { readonly app: App; readonly files: BuildFiles }) {
  const { compared_with: before, added, removed, changed, changes } = files;
  const total = added.files + removed.files + changed.files;
  const rest = changes.slice(SHOWN);
  return (
    <>
      <p>
        {texts.total(files.files, size(files.size))}{' '}
        {before === null
          ? texts.first
          : texts.comparedWith(
              <Link to={`/apps/${app.id}/builds/${before.build_id}`}>
                {versionOf(before.version, before.build_id)}
              </Link>,
              size(before.size),
            )}
      </p>
      {before !== null && (
        <p>
          {total === 0
            ? texts.same
            : texts.summary({
                added: [added.files, size(added.size)],
                changed: [changed.files, size(changed.size)],
                removed: [removed.files, size(removed.size)],
              })}
        </p>
      )}
      {before !== null && total > 0 && <Changes changes={changes.slice(0, SHOWN)} label={texts.changes} />}
      {before !== null && rest.length > 0 && (
        <details>
          <summary>{texts.more(rest.length, total - changes.length)}</summary>
          <Changes changes={rest} label={texts.moreChanges} />
        </details>
      )}
      <details>
        <summary>{texts.biggest}</summary>
        <Table
          label={texts.biggest}
          rows={files.biggest}
          keyOf={({ path }) => path}
          columns={[
            [rowHead(texts.file, 'path'), ({ path }) => path],
            [numbers(texts.fileSize), (file) => size(file.size)],
          ]}
        />
      </details>
    </>
  );
}

function Changes({ changes, label }: { readonly changes: BuildFiles['changes']; readonly label: string }) {
  return (
    <Table
      label={label}
      rows={changes}
      keyOf={({ path }) => path}
      columns={[
        [rowHead(texts.file, 'path'), ({ path }) => path],
        [texts.change, ({ change }) => texts.changeNames[change]],
        [numbers(texts.sizeBefore), ({ size_before: bytes }) => (bytes === null ? '–' : size(bytes))],
        [numbers(texts.fileSize), ({ size: bytes }) => (bytes === null ? '–' : size(bytes))],
      ]}
    />
  );
}
