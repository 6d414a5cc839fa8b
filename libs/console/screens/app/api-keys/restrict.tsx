import { useQueryClient } from '@tanstack/react-query';
import type { ApiKey, App, Restrictions } from '@sluice/contracts';
import { type ReactNode, useMemo } from 'react';
import { api, ApiError } from '../../../api/client';
import { bind } from '../../../parts/bind';
import { Button } from '../../../parts/button';
import { Form, Group, TextArea, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { say } from '../../../parts/toasts';
import { InUse } from './in-use';

interface RestrictProps {
  readonly app: App;
  readonly apiKey: ApiKey;
  readonly close: () => void;
}

/** Who may use a key: whatever is listed; with nothing listed, anyone. */
export function Restrict({ app, apiKey, close }: RestrictProps) {
  const given = apiKey.restrictions;
  const client = useQueryClient();
  const restrict = async (restrictions: Restrictions): Promise<void> => {
    await api.patch<ApiKey>(`/apps/${app.id}/api-keys/${apiKey.id}/restrictions`, restrictions);
    void client.invalidateQueries({ queryKey: ['keys', app.id] });
  };
  const { draft, field, form } = useForm(draftOf(given), (wish) => restrict(restrictionsOf(wish)), {
    done: () => {
      say(`The restrictions of “${apiKey.name}” are saved.`, () => restrict(given));
      close();
    },
  });
  const { origins, android, ios } = draft;
  const error = useMemo(() => inPlace(form.error), [form.error]);
  const isOpen = linesOf(origins).length + android.length + ios.length === 0;
  return (
    <Form {...form} error={error} verb="Save" cancel={close}>
      <p className={isOpen ? 'note info' : 'note warn'} role="status">
        {isOpen ? (
          'Nothing is listed: anyone who has the key may use it.'
        ) : (
          <span>
            Only callers that match an entry below may use the key. All others get no updates from their next check on,
            and are counted. <InUse apiKey={apiKey} />
          </span>
        )}
      </p>
      <p>
        Restrictions keep honest callers apart, not attackers: a caller outside a browser can send any origin, package
        name, bundle ID or fingerprint. Sign your bundles to protect what devices install.
      </p>
      <TextArea
        {...field('origins')}
        label="Web pages"
        help="An origin a line, such as https://app.example.com or https://*.example.com. http:// for local hosts alone."
        rows={3}
      />
      <Entries
        {...field('android')}
        what="Android app"
        help="Without fingerprints, an app of that name signed by anybody."
        empty={{ package_name: '', sha256: '', sha1: '' }}
        nameOf={({ package_name: name }) => name}
      >
        {(entry) => (
          <>
            <TextField
              {...trimmed(entry('package_name'))}
              label="Package name"
              placeholder="com.example.shop"
              required
            />
            <TextArea {...entry('sha256')} label="SHA-256 fingerprints of its certificate, one a line" rows={2} />
            <TextArea {...entry('sha1')} label="SHA-1 fingerprints, one a line" rows={2} />
          </>
        )}
      </Entries>
      <Entries
        {...field('ios')}
        what="iOS app"
        empty={{ bundle_id: '', team_id: '' }}
        nameOf={({ bundle_id: id }) => id}
      >
        {(entry) => (
          <>
            <TextField {...trimmed(entry('bundle_id'))} label="Bundle id" placeholder="com.example.shop" required />
            <TextField {...trimmed(entry('team_id'))} label="Team id (optional)" placeholder="ABCDE12345" />
          </>
        )}
      </Entries>
    </Form>
  );
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}

/** Lists of lines as texts. */
const draftOf = ({ origins = [], android = [], ios = [] }: Restrictions) => ({
  origins: origins.join('\n'),
  android: android.map(({ package_name, sha256 = [], sha1 = [] }) => ({
    ...{ package_name, sha256: sha256.join('\n'), sha1: sha1.join('\n') },
  })),
  ios: ios.map(({ bundle_id, team_id = '' }) => ({ bundle_id, team_id })),
});

const restrictionsOf = ({ origins, android, ios }: ReturnType<typeof draftOf>): Restrictions =>
  filled({
    origins: linesOf(origins),
    android: android.map(({ package_name, sha256, sha1 }) => ({
      package_name,
      ...filled({ sha256: linesOf(sha256), sha1: linesOf(sha1) }),
    })),
    ios: ios.map(({ bundle_id, team_id }) => ({ bundle_id, ...filled({ team_id }) })),
  });

/** Without the members that are empty. */
const filled = <Members extends Readonly<Record<string, { readonly length: number }>>>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, { length }]) => length > 0)) as Partial<Members>;

const trimmed = <Field extends { readonly change: (text: string) => void }>(field: Field): Field => ({
  ...field,
  change: (text: string) => field.change(text.trim()),
});

/** Faults of single lines, `origins.0`, as faults of the field that holds the lines, told with the line's number. */
function inPlace(error: Error | null): Error | null {
  if (!(error instanceof ApiError)) return error;
  const fields: Record<string, string[]> = {};
  for (const [name, texts] of Object.entries(error.fields)) {
    const [, field = name, line] = /^(origins|android\.\d+\.sha(?:1|256))\.(\d+)$/.exec(name) ?? [];
    const told = line === undefined ? texts : texts.map((text) => `Entry ${Number(line) + 1}: ${text}`);
    (fields[field] ??= []).push(...told);
  }
  return error.saying({ fields });
}

interface EntriesProps<Entry extends object> {
  readonly name: string;
  readonly value: readonly Entry[];
  readonly change: (entries: Entry[]) => void;
  /** What one of them is. */
  readonly what: string;
  readonly help?: string;
  readonly empty: Entry;
  readonly nameOf: (entry: Entry) => string;
  /** The fields of an entry, bound by `entry`. */
  readonly children: (entry: ReturnType<typeof bind<Entry>>) => ReactNode;
}

function Entries<Entry extends object>(props: EntriesProps<Entry>) {
  const { name, value: entries, change, what, help, empty, nameOf, children } = props;
  return (
    <Group name={name} label={`${what}s`} help={help}>
      {entries.map((entry, index) => (
        <div key={index} className="entry" role="group" aria-label={`${what} ${index + 1}`}>
          {children(bind(entry, (part) => change(entries.with(index, { ...entry, ...part })), `${name}.${index}.`))}
          <Button onClick={() => change(entries.toSpliced(index, 1))}>Remove {nameOf(entry) || `this ${what}`}</Button>
        </div>
      ))}
      <div>
        <Button onClick={() => change([...entries, empty])}>Add an {what}</Button>
      </div>
    </Group>
  );
}
