import type { App } from '@sluice/contracts';
import { useRef } from 'react';
import { api } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Form, SelectField, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { useForm } from '../../../parts/send';
import { ConcurrentChanges, type Watched, type WatchedKind } from '../../../parts/watched';
import * as texts from '../../../texts/groups';
import { useWatchedApp } from './watched-app';

type Type = App['attributes'][string];

interface Row {
  readonly id: number;
  readonly name: string;
  readonly type: Type;
}

const TYPES = Object.entries(texts.types) as [Type, string][];

/** The ids of rows that a person adds begin here; those of the app's own attributes are their places. */
const NEW_ROWS = 1_000;

const draftOf = ({ attributes }: App): { readonly rows: readonly Row[] } => ({
  rows: Object.entries(attributes).map(([name, type], id) => ({ id, name, type })),
});

const wantedOf = (rows: readonly Row[]): App['attributes'] =>
  Object.fromEntries(rows.map(({ name, type }) => [name.trim(), type]));

const FIELDS: WatchedKind<App>['fields'] = [
  [
    'attributes',
    texts.attributes,
    ({ attributes }) =>
      texts.listed(Object.entries(attributes).map(([name, type]) => texts.ofType(name, texts.types[type]))),
  ],
];

/** The attributes that an app declares, which audiences name. */
export function Attributes({ app }: { readonly app: App }) {
  const next = useRef(NEW_ROWS);
  const { draft, change, form } = useForm(
    () => draftOf(app),
    ({ rows }) => {
      const wanted = wantedOf(rows);
      const removed = Object.keys(watched.seen.attributes).filter((name) => wanted[name] === undefined);
      const attributes = { ...Object.fromEntries(removed.map((name) => [name, null])), ...wanted };
      return api.patch<App>(`/apps/${app.id}`, { attributes }, watched.seen.revision);
    },
    { refresh: [['apps']], evenOnError: true, toast: texts.savedAttributes, done: (saved) => watched.accept(saved) },
  );
  const watched: Watched<App> = useWatchedApp(app, FIELDS, form.busy);
  const { rows } = draft;
  const edit = (id: number, changes: Partial<Row>): void =>
    change({ rows: rows.map((row) => (row.id === id ? { ...row, ...changes } : row)) });
  const isRemoving = Object.keys(app.attributes).some((name) => rows.every((row) => row.name.trim() !== name));
  return (
    <Section title={texts.attributes}>
      <p>{texts.attributesHelp}</p>
      <Form {...form} error={watched.judge(form.error)} verb={texts.saveAttributes}>
        {rows.map(({ id, name, type }, index) => (
          <div key={id} className="attribute-row" role="group" aria-label={texts.attributeName(index + 1)}>
            <TextField
              name={`attributes.${name.trim()}`}
              label={texts.name}
              placeholder={texts.attributeExample}
              required
              value={name}
              change={(changed) => edit(id, { name: changed })}
              spellCheck={false}
              autoCapitalize="none"
              autoComplete="off"
            />
            <SelectField
              name={`type.${index}`}
              label={texts.type}
              value={type}
              change={(changed) => edit(id, { type: changed })}
              options={TYPES}
            />
            <Button
              aria-label={texts.removeNumber(index + 1)}
              onClick={() => change({ rows: rows.filter((row) => row.id !== id) })}
            >
              {texts.removeAttribute}
            </Button>
          </div>
        ))}
        <div>
          <Button
            disabled={rows.length >= 8}
            onClick={() => change({ rows: [...rows, { id: (next.current += 1), name: '', type: 'string' }] })}
          >
            {texts.addAttribute}
          </Button>
        </div>
        <ConcurrentChanges of={watched} form={{ draft, draftOf, change, mine: { attributes: wantedOf(rows) } }} />
        {isRemoving && (
          <p className="note warn" role="status">
            {texts.inUse}
          </p>
        )}
      </Form>
    </Section>
  );
}
