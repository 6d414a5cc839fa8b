import { useQueryClient } from '@tanstack/react-query';
import type { ApiKey, App, Restrictions } from '@sluice/contracts';
import { type ReactNode, useMemo } from 'react';
import { api, ApiError } from '../../../api/client';
import { bind } from '../../../parts/bind';
import { Button } from '../../../parts/button';
import { Modal, type DialogState } from '../../../parts/dialog';
import { Form, Group, TextArea, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { showToast } from '../../../parts/toasts';
import { ConcurrentChanges, useWatched, type Watched } from '../../../parts/watched';
import * as texts from '../../../texts/api-keys';
import { InUse } from './in-use';
import { watchedKey } from './watched-key';

interface RestrictProps extends DialogState {
  readonly app: App;
  readonly apiKey: ApiKey;
}

/** The callers that may use a key, and for which channels; any caller, or every channel, if none is listed. */
export function Restrict({ app, apiKey, open, close }: RestrictProps) {
  const kind = watchedKey(app, apiKey);
  const client = useQueryClient();
  const restrict = (restrictions: Restrictions, revision: number): Promise<ApiKey> =>
    api
      .patch<ApiKey>(`${kind.path}/restrictions`, restrictions, revision)
      .finally(() => void client.invalidateQueries({ queryKey: ['keys', app.id] }));
  const { draft, change, field, form } = useForm(
    () => draftOf(apiKey),
    (wanted) => restrict(restrictionsOf(wanted), watched.seen.revision),
    {
      done: ({ revision }) => {
        const { restrictions: before } = watched.seen;
        showToast(texts.saved(apiKey.name), () => restrict(before, revision));
        close();
      },
    },
  );
  const watched: Watched<ApiKey> = useWatched(apiKey, kind, { open, close, busy: form.busy });
  const judged = watched.judge(form.error);
  const { origins, android, ios, channels } = draft;
  const error = useMemo(() => atTheirFields(judged), [judged]);
  const callers = linesOf(origins).length + android.length + ios.length;
  const isOpen = callers + linesOf(channels).length === 0;
  return (
    <Modal title={texts.restrictionsTitle(apiKey.name)} keeps open={open} close={close}>
      <Form {...form} error={error} verb={texts.save} cancel={close}>
        <p className={isOpen ? 'note info' : 'note warn'} role="status">
          {isOpen ? texts.anyCaller : <span>{texts.onlyListed(callers > 0, <InUse apiKey={apiKey} />)}</span>}
        </p>
        <p>{texts.notSecurity}</p>
        <TextArea {...field('origins')} label={texts.webPages} help={texts.webPagesHelp} rows={3} />
        <Entries
          {...field('android')}
          texts={texts.androidApps}
          empty={{ package_name: '', sha256: '', sha1: '' }}
          nameOf={({ package_name: name }) => name}
        >
          {(entry) => (
            <>
              <TextField
                {...trimmed(entry('package_name'))}
                label={texts.packageName}
                placeholder={texts.idExample}
                required
              />
              <TextArea {...entry('sha256')} label={texts.sha256} rows={2} />
              <TextArea {...entry('sha1')} label={texts.sha1} rows={2} />
            </>
          )}
        </Entries>
        <Entries
          {...field('ios')}
          texts={texts.iosApps}
          empty={{ bundle_id: '', team_id: '' }}
          nameOf={({ bundle_id: id }) => id}
        >
          {(entry) => (
            <>
              <TextField
                {...trimmed(entry('bundle_id'))}
                label={texts.bundleId}
                placeholder={texts.idExample}
                required
              />
              <TextField {...trimmed(entry('team_id'))} label={texts.teamId} placeholder={texts.teamIdExample} />
            </>
          )}
        </Entries>
        <TextArea {...field('channels')} label={texts.channels} help={texts.channelsHelp} rows={2} />
        <ConcurrentChanges
          of={watched}
          form={{ draft, draftOf, change, mine: { restrictions: restrictionsOf(draft) } }}
        />
      </Form>
    </Modal>
  );
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/** Lists of lines as texts. */
const draftOf = ({ restrictions: { origins = [], android = [], ios = [], channels = [] } }: ApiKey) => ({
  origins: origins.join('\n'),
  android: android.map(({ package_name, sha256 = [], sha1 = [] }) => ({
    ...{ package_name, sha256: sha256.join('\n'), sha1: sha1.join('\n') },
  })),
  ios: ios.map(({ bundle_id, team_id = '' }) => ({ bundle_id, team_id })),
  channels: channels.join('\n'),
});

/** Every kind: the server clears those that the request omits. */
const restrictionsOf = ({ origins, android, ios, channels }: ReturnType<typeof draftOf>): Restrictions =>
  filled({
    origins: linesOf(origins),
    android: android.map(({ package_name, sha256, sha1 }) => ({
      package_name,
      ...filled({ sha256: linesOf(sha256), sha1: linesOf(sha1) }),
    })),
    ios: ios.map(({ bundle_id, team_id }) => ({ bundle_id, ...filled({ team_id }) })),
    channels: linesOf(channels),
  } satisfies Record<keyof Restrictions, unknown>);

/** Without the members that are empty. */
const filled = <Members extends Readonly<Record<string, { readonly length: number }>>>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, { length }]) => length > 0)) as Partial<Members>;

const trimmed = <Field extends { readonly change: (text: string) => void }>(field: Field): Field => ({
  ...field,
  change: (text: string) => field.change(text.trim()),
});

/** Faults of single lines, `origins.0`, as faults of the field that holds the lines, with the number of the line. */
function atTheirFields(error: Error | null): Error | null {
  if (!(error instanceof ApiError)) return error;
  const fields: Record<string, string[]> = {};
  for (const [name, faults] of Object.entries(error.fields)) {
    const [, field = name, line] = /^(origins|channels|android\.\d+\.sha(?:1|256))\.(\d+)$/.exec(name) ?? [];
    const numbered = line === undefined ? faults : faults.map((fault) => texts.faultOfEntry(Number(line) + 1, fault));
    (fields[field] ??= []).push(...numbered);
  }
  return error.withTexts({ fields });
}

interface EntriesProps<Entry extends object> {
  readonly name: string;
  readonly value: readonly Entry[];
  readonly change: (entries: Entry[]) => void;
  readonly texts: typeof texts.androidApps | typeof texts.iosApps;
  readonly empty: Entry;
  readonly nameOf: (entry: Entry) => string;
  /** The fields of an entry, bound by `entry`. */
  readonly children: (entry: ReturnType<typeof bind<Entry>>) => ReactNode;
}

function Entries<Entry extends object>(props: EntriesProps<Entry>) {
  const { name, value: entries, change, empty, nameOf, children } = props;
  const { label, help, nth, add, remove } = props.texts;
  return (
    <Group name={name} label={label} help={help}>
      {entries.map((entry, index) => (
        <div key={index} className="entry" role="group" aria-label={nth(index + 1)}>
          {children(bind(entry, (part) => change(entries.with(index, { ...entry, ...part })), `${name}.${index}.`))}
          <Button onClick={() => change(entries.toSpliced(index, 1))}>{remove(nameOf(entry))}</Button>
        </div>
      ))}
      <div>
        <Button onClick={() => change([...entries, empty])}>{add}</Button>
      </div>
    </Group>
  );
}
