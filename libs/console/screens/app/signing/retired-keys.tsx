import { useQuery } from '@tanstack/react-query';
import type { App } from '@sluice/contracts';
import { api, query } from '../../../api/client';
import type { TimelineEntry } from '../../../parts/timeline';
import { ErrorNote } from '../../../parts/states';
import { Copyable, Time } from '../../../parts/values';

/** The signing keys that others took the place of, as the history tells of them. */
export function RetiredKeys({ app }: { readonly app: App }) {
  const rotations = useQuery({
    queryKey: ['history', app.id, 'retired keys'],
    queryFn: () =>
      api.list<TimelineEntry>(`/apps/${app.id}/history${query({ type: 'SigningKeyRotated', per_page: 50 })}`),
  });
  if (rotations.isError) return <ErrorNote error={rotations.error} again={() => void rotations.refetch()} />;
  const retired = rotations.data?.data.filter(({ before }) => before !== null) ?? [];
  if (retired.length === 0) return null;
  return (
    <>
      <h3>Retired keys</h3>
      <p className="dim">Builds that they signed are still checked with them.</p>
      {retired.map(({ id, at, before }) => (
        <details key={id}>
          <summary>
            Retired <Time at={at} />: <code>{textOf(before?.['fingerprint']).slice(0, 16)}…</code>
          </summary>
          <Copyable text={textOf(before?.['public_key'])} label="the retired public key" block />
        </details>
      ))}
    </>
  );
}

function textOf(member: unknown): string {
  return typeof member === 'string' ? member : '';
}
