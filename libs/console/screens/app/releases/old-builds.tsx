import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { App, EffectiveSettings, Retention } from '@sluice/contracts';
import { useState } from 'react';
import { api, query } from '../../../api/client';
import { Form, SelectField, TextField } from '../../../parts/form';
import { numbers, Section, Table } from '../../../parts/page';
import { ErrorNote, Loading } from '../../../parts/states';
import { say } from '../../../parts/toasts';
import { size } from '../../../parts/values';

type Rule = 'installation' | 'all' | 'newest';

/** How many old builds are kept, with those that a change lets go shown before it is saved. */
export function OldBuilds({ app }: { readonly app: App }) {
  const client = useQueryClient();
  const settings = useQuery({ queryKey: ['settings', null], queryFn: () => api.get<EffectiveSettings>('/settings') });
  const [rule, setRule] = useState<Rule>(
    app.keep_builds === null ? 'installation' : app.keep_builds === 0 ? 'all' : 'newest',
  );
  const [count, setCount] = useState(String(app.keep_builds === null || app.keep_builds === 0 ? 10 : app.keep_builds));
  const ofInstallation = settings.data?.retention.builds_per_channel;
  const keep = rule === 'all' ? 0 : rule === 'newest' ? Number(count) : ofInstallation;
  const isValid = keep !== undefined && Number.isInteger(keep) && keep >= (rule === 'newest' ? 1 : 0) && keep <= 10_000;
  const due = useQuery({
    queryKey: ['builds', app.id, 'retention', keep],
    queryFn: ({ signal }) => api.get<Retention>(`/apps/${app.id}/retention${query({ keep_builds: keep })}`, signal),
    enabled: isValid,
    placeholderData: keepPreviousData,
  });
  const save = useMutation({
    mutationFn: () => api.patch<App>(`/apps/${app.id}`, { keep_builds: rule === 'installation' ? null : keep }),
    onSuccess: () => {
      void client.invalidateQueries({ queryKey: ['apps'] });
      say('Saved.');
    },
  });
  return (
    <Section title="Old builds">
      <Form submit={() => save.mutate()} busy={save.isPending} error={save.error} verb="Save what is kept">
        <SelectField<Rule>
          name="rule"
          label="Builds to keep of each channel"
          help="Builds that a device may be offered always stay. So does one that changed within the last day."
          value={rule}
          change={setRule}
          options={[
            [
              'installation',
              `As the installation says${ofInstallation === undefined ? '' : `: ${named(ofInstallation)}`}`,
            ],
            ['all', 'All of them'],
            ['newest', 'The newest ones'],
          ]}
        />
        {rule === 'newest' && (
          <TextField name="keep_builds" label="How many" type="number" required value={count} change={setCount} />
        )}
        {due.isError ? (
          <ErrorNote error={due.error} again={() => void due.refetch()} />
        ) : due.data === undefined ? (
          isValid && <Loading what="the builds that would go" />
        ) : (
          isValid && <Due retention={due.data} />
        )}
      </Form>
    </Section>
  );
}

const named = (count: number): string => (count === 0 ? 'all' : `the newest ${count}`);

function Due({ retention: { total, freed_bytes: freed, builds } }: { readonly retention: Retention }) {
  if (total === 0) return <p role="status">No build goes now.</p>;
  return (
    <>
      <p role="status">
        {total === 1 ? 'One build is' : `${total.toLocaleString()} builds are`} permanently deleted within the hour,
        which frees {size(freed)}:
      </p>
      <Table label="Builds that go" head={['Version', 'Build', 'Channel', numbers('Size')]}>
        {builds.map((build) => (
          <tr key={build.id}>
            <th scope="row">{build.version}</th>
            <td className="dim">#{build.id}</td>
            <td>{build.channel}</td>
            <td className="number">{build.file_size === null ? '' : size(build.file_size)}</td>
          </tr>
        ))}
      </Table>
      {total > builds.length && <p className="dim">The first {builds.length.toLocaleString()} are shown.</p>}
    </>
  );
}
