import { keepPreviousData } from '@tanstack/react-query';
import type { App, Retention } from '@sluice/contracts';
import { api, query } from '../../../api/client';
import { useGet, useSettings } from '../../../api/queries';
import { Form, SelectField, TextField } from '../../../parts/form';
import { numbers, rowHead, Section, Table } from '../../../parts/page';
import { useForm } from '../../../parts/send';
import { ErrorNote, Loading } from '../../../parts/states';
import { size } from '../../../parts/values';

interface Draft {
  readonly rule: 'installation' | 'all' | 'newest';
  readonly keep_builds: string;
}

/** How many old builds are kept, with those that a change lets go shown before it is saved. */
export function OldBuilds({ app }: { readonly app: App }) {
  const settings = useSettings();
  const ofInstallation = settings.data?.retention.builds_per_channel;
  const keepOf = ({ rule, keep_builds: count }: Draft): number | undefined =>
    rule === 'all' ? 0 : rule === 'newest' ? Number(count) : ofInstallation;
  const { draft, form, field } = useForm<Draft, App>(
    {
      rule: app.keep_builds === null ? 'installation' : app.keep_builds === 0 ? 'all' : 'newest',
      keep_builds: String(app.keep_builds === null || app.keep_builds === 0 ? 10 : app.keep_builds),
    },
    (wish) => api.patch<App>(`/apps/${app.id}`, { keep_builds: wish.rule === 'installation' ? null : keepOf(wish) }),
    { refresh: [['apps']], said: 'Saved.' },
  );
  const { rule } = draft;
  const keep = keepOf(draft);
  const isValid = keep !== undefined && Number.isInteger(keep) && keep >= (rule === 'newest' ? 1 : 0) && keep <= 10_000;
  const due = useGet<Retention>(`/apps/${app.id}/retention${query({ keep_builds: keep })}`, ['builds', app.id], {
    enabled: isValid,
    placeholderData: keepPreviousData,
  });
  return (
    <Section title="Old builds">
      <Form {...form} verb="Save what is kept">
        <SelectField
          {...field('rule')}
          label="Builds to keep of each channel"
          help="Builds that a device may be offered always stay. So does one that changed within the last day."
          options={[
            [
              'installation',
              `As the installation says${ofInstallation === undefined ? '' : `: ${named(ofInstallation)}`}`,
            ],
            ['all', 'All of them'],
            ['newest', 'The newest ones'],
          ]}
        />
        {rule === 'newest' && <TextField {...field('keep_builds')} label="How many" type="number" required />}
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
      <Table
        label="Builds that go"
        rows={builds}
        columns={[
          [rowHead('Version'), ({ version }) => version],
          [{ name: 'Build', className: 'dim' }, ({ id }) => `#${id}`],
          ['Channel', ({ channel }) => channel],
          [numbers('Size'), ({ file_size: bytes }) => (bytes === null ? '' : size(bytes))],
        ]}
      />
      {total > builds.length && <p className="dim">The first {builds.length.toLocaleString()} are shown.</p>}
    </>
  );
}
