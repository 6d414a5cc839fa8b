import { keepPreviousData } from '@tanstack/react-query';
import type { App, Retention } from '@sluice/contracts';
import { api, query } from '../../../api/client';
import { useGet, useSettings } from '../../../api/queries';
import { Form, SelectField, TextField } from '../../../parts/form';
import { numbers, rowHead, Section, Table } from '../../../parts/page';
import { useForm } from '../../../parts/send';
import { ErrorNote, Loading } from '../../../parts/states';
import { size } from '../../../parts/values';
import { ConcurrentChanges, type Watched, type WatchedKind } from '../../../parts/watched';
import * as texts from '../../../texts/app-settings';
import { useWatchedApp } from './watched-app';

interface Draft {
  readonly rule: 'installation' | 'all' | 'newest';
  readonly keep_builds: string;
}

const draftOf = ({ keep_builds: kept }: App): Draft => ({
  rule: kept === null ? 'installation' : kept === 0 ? 'all' : 'newest',
  keep_builds: String(kept === null || kept === 0 ? 10 : kept),
});

const FIELDS: WatchedKind<App>['fields'] = [
  ['keep_builds', texts.keep, ({ keep_builds: kept }) => (kept === null ? texts.ofInstallation : texts.newest(kept))],
];

/** How many old builds are kept. The builds that a change deletes are shown before it is saved. */
export function OldBuilds({ app }: { readonly app: App }) {
  const settings = useSettings();
  const ofInstallation = settings.data?.retention.builds_per_channel;
  const keepOf = ({ rule, keep_builds: count }: Draft): number | undefined =>
    rule === 'all' ? 0 : rule === 'newest' ? Number(count) : ofInstallation;
  const toRules = (rules: Draft) => ({ keep_builds: rules.rule === 'installation' ? null : (keepOf(rules) ?? null) });
  const { draft, change, form, field } = useForm(
    () => draftOf(app),
    (rules) => api.patch<App>(`/apps/${app.id}`, toRules(rules), watched.seen.revision),
    { refresh: [['apps']], evenOnError: true, toast: texts.saved, done: (saved) => watched.accept(saved) },
  );
  const watched: Watched<App> = useWatchedApp(app, FIELDS, form.busy);
  const { rule } = draft;
  const keep = keepOf(draft);
  const isValid = keep !== undefined && Number.isInteger(keep) && keep >= (rule === 'newest' ? 1 : 0) && keep <= 10_000;
  const due = useGet<Retention>(`/apps/${app.id}/retention${query({ keep_builds: keep })}`, ['builds', app.id], {
    enabled: isValid,
    placeholderData: keepPreviousData,
  });
  return (
    <Section title={texts.oldBuilds}>
      <Form {...form} error={watched.judge(form.error)} verb={texts.saveRetention}>
        <SelectField
          {...field('rule')}
          label={texts.keep}
          help={texts.keepHelp}
          options={[
            [
              'installation',
              ofInstallation === undefined
                ? texts.ofInstallation
                : texts.ofInstallationNow(texts.newest(ofInstallation)),
            ],
            ['all', texts.keepAll],
            ['newest', texts.keepNewest],
          ]}
        />
        {rule === 'newest' && <TextField {...field('keep_builds')} label={texts.howMany} type="number" required />}
        {due.isError ? (
          <ErrorNote error={due.error} retry={() => void due.refetch()} />
        ) : due.data === undefined ? (
          isValid && <Loading what={texts.loadingDue} />
        ) : (
          isValid && <Due retention={due.data} />
        )}
        <ConcurrentChanges of={watched} form={{ draft, draftOf, change, mine: toRules(draft) }} />
      </Form>
    </Section>
  );
}

function Due({ retention: { total, freed_bytes: freed, builds } }: { readonly retention: Retention }) {
  if (total === 0) return <p role="status">{texts.noneDue}</p>;
  return (
    <>
      <p role="status">{texts.due(total, size(freed))}</p>
      <Table
        stacks
        label={texts.dueLabel}
        rows={builds}
        columns={[
          [rowHead(texts.version), ({ version }) => version],
          [{ name: texts.build, className: 'dim' }, ({ id }) => id],
          [texts.channel, ({ channel }) => channel],
          [numbers(texts.size), ({ file_size: bytes }) => (bytes === null ? '' : size(bytes))],
        ]}
      />
      {total > builds.length && <p className="dim">{texts.firstShown(builds.length)}</p>}
    </>
  );
}
