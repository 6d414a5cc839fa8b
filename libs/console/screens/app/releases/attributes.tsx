import type { App } from '@sluice/contracts';
import { useRef } from 'react';
import { api } from '../../../api/client';
import { Button } from '../../../parts/button';
import { Form, SelectField, TextField } from '../../../parts/form';
import { Section } from '../../../parts/page';
import { useForm } from '../../../parts/send';
import * as texts from '../../../texts/groups';

type Type = App['attributes'][string];

interface Row {
  readonly id: number;
  readonly name: string;
  readonly type: Type;
}

const TYPES = Object.entries(texts.types) as [Type, string][];

/** The attributes that an app declares, which audiences name. */
export function Attributes({ app }: { readonly app: App }) {
  const next = useRef(Object.keys(app.attributes).length);
  const { draft, change, form } = useForm<{ readonly rows: readonly Row[] }, App>(
    { rows: Object.entries(app.attributes).map(([name, type], id) => ({ id, name, type })) },
    ({ rows }) => {
      const wanted = Object.fromEntries(rows.map(({ name, type }) => [name.trim(), type]));
      const removed = Object.keys(app.attributes).filter((name) => wanted[name] === undefined);
      const attributes = { ...Object.fromEntries(removed.map((name) => [name, null])), ...wanted };
      return api.patch<App>(`/apps/${app.id}`, { attributes });
    },
    { refresh: [['apps']], toast: texts.savedAttributes },
  );
  const { rows } = draft;
  const edit = (id: number, changes: Partial<Row>): void =>
    change({ rows: rows.map((row) => (row.id === id ? { ...row, ...changes } : row)) });
  const isRemoving = Object.keys(app.attributes).some((name) => rows.every((row) => row.name.trim() !== name));
  return (
    <Section title={texts.attributes}>
      <p>{texts.attributesHelp}</p>
      <Form {...form} verb={texts.saveAttributes}>
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
        {isRemoving && (
          <p className="note warn" role="status">
            {texts.inUse}
          </p>
        )}
      </Form>
    </Section>
  );
}
