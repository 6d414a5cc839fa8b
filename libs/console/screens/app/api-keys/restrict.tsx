import { useQueryClient } from '@tanstack/react-query';
import type { ApiKey, App, Restrictions } from '@sluice/contracts';
import { useMemo } from 'react';
import { api, ApiError } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Form, Group, TextArea, TextField } from '../../../parts/form';
import { useForm } from '../../../parts/send';
import { say } from '../../../parts/toasts';
import { InUse } from './in-use';

type AndroidApp = NonNullable<Restrictions['android']>[number];
type IosApp = NonNullable<Restrictions['ios']>[number];

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
  const { draft, change, field, form } = useForm(
    { origins: (given.origins ?? []).join('\n'), android: given.android ?? [], ios: given.ios ?? [] },
    (wish) => {
      const lists = {
        origins: linesOf(wish.origins),
        android: wish.android.map(androidWish),
        ios: wish.ios.map(iosWish),
      };
      return restrict(Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)));
    },
    {
      done: () => {
        say(`The restrictions of “${apiKey.name}” are saved.`, () => restrict(given));
        close();
      },
    },
  );
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
      <Group name="android" label="Android apps" help="Without fingerprints, an app of that name signed by anybody.">
        {android.map((entry, index) => (
          <AndroidField
            key={index}
            at={index}
            entry={entry}
            change={(next) => change({ android: android.with(index, next) })}
            remove={() => change({ android: android.toSpliced(index, 1) })}
          />
        ))}
        <div>
          <Button onClick={() => change({ android: [...android, { package_name: '' }] })}>Add an Android app</Button>
        </div>
      </Group>
      <Group name="ios" label="iOS apps">
        {ios.map((entry, index) => (
          <IosField
            key={index}
            at={index}
            entry={entry}
            change={(next) => change({ ios: ios.with(index, next) })}
            remove={() => change({ ios: ios.toSpliced(index, 1) })}
          />
        ))}
        <div>
          <Button onClick={() => change({ ios: [...ios, { bundle_id: '' }] })}>Add an iOS app</Button>
        </div>
      </Group>
    </Form>
  );
}

function linesOf(text: string): string[] {
  return text.split('\n').flatMap((line) => line.trim() || []);
}

function androidWish({ package_name, sha256 = [], sha1 = [] }: AndroidApp): AndroidApp {
  const lists = { sha256: linesOf(sha256.join('\n')), sha1: linesOf(sha1.join('\n')) };
  return { package_name, ...Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0)) };
}

function iosWish({ bundle_id, team_id = '' }: IosApp): IosApp {
  return { bundle_id, ...(team_id !== '' && { team_id }) };
}

/** Faults of single lines, `origins.0`, as faults of the field that holds the lines, told with the line's number. */
function inPlace(error: Error | null): Error | null {
  if (!(error instanceof ApiError)) return error;
  const fields: Record<string, string[]> = {};
  for (const [name, texts] of Object.entries(error.fields)) {
    const [, field = name, line] = /^(origins|android\.\d+\.sha(?:1|256))\.(\d+)$/.exec(name) ?? [];
    const told = line === undefined ? texts : texts.map((text) => `Entry ${Number(line) + 1}: ${text}`);
    (fields[field] ??= []).push(...told);
  }
  const { status, code, message, details, retryAfter } = error;
  return new ApiError({ status, code, message, fields, details, retryAfter });
}

interface EntryProps<Entry> {
  readonly at: number;
  readonly entry: Entry;
  readonly change: (entry: Entry) => void;
  readonly remove: () => void;
}

function AndroidField({ at, entry, change, remove }: EntryProps<AndroidApp>) {
  const { package_name: name, sha256 = [], sha1 = [] } = entry;
  return (
    <div className="entry" role="group" aria-label={`Android app ${at + 1}`}>
      <TextField
        name={`android.${at}.package_name`}
        label="Package name"
        placeholder="com.example.shop"
        required
        value={name}
        change={(next) => change({ ...entry, package_name: next.trim() })}
      />
      <TextArea
        name={`android.${at}.sha256`}
        label="SHA-256 fingerprints of its certificate, one a line"
        rows={2}
        value={sha256.join('\n')}
        change={(text) => change({ ...entry, sha256: text.split('\n') })}
      />
      <TextArea
        name={`android.${at}.sha1`}
        label="SHA-1 fingerprints, one a line"
        rows={2}
        value={sha1.join('\n')}
        change={(text) => change({ ...entry, sha1: text.split('\n') })}
      />
      <Button onClick={remove}>Remove {name === '' ? 'this Android app' : name}</Button>
    </div>
  );
}

function IosField({ at, entry, change, remove }: EntryProps<IosApp>) {
  const { bundle_id: id, team_id: team = '' } = entry;
  return (
    <div className="entry" role="group" aria-label={`iOS app ${at + 1}`}>
      <TextField
        name={`ios.${at}.bundle_id`}
        label="Bundle id"
        placeholder="com.example.shop"
        required
        value={id}
        change={(next) => change({ ...entry, bundle_id: next.trim() })}
      />
      <TextField
        name={`ios.${at}.team_id`}
        label="Team id (optional)"
        placeholder="ABCDE12345"
        value={team}
        change={(next) => change({ ...entry, team_id: next.trim() })}
      />
      <Button onClick={remove}>Remove {id === '' ? 'this iOS app' : id}</Button>
    </div>
  );
}
