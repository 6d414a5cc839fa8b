import { useState } from 'react';
import { CheckField, Group } from '../../parts/form';
import { QueryState } from '../../parts/states';
import { toggled } from '../../parts/toggled';
import * as texts from '../../texts/tokens';
import { useOwnedApps } from './owned-apps';

/** More apps than this get a field that narrows them. */
const MANY = 8;

interface AppsFieldProps {
  readonly chosen: ReadonlySet<number>;
  readonly choose: (chosen: ReadonlySet<number>) => void;
}

/** Which apps a token reaches. */
export function AppsField({ chosen, choose }: AppsFieldProps) {
  const apps = useOwnedApps();
  const [part, setPart] = useState('');
  const all = apps.data ?? [];
  const shown = all.filter(({ name, app_id: appId }) =>
    `${name} ${appId}`.toLowerCase().includes(part.trim().toLowerCase()),
  );
  return (
    <Group
      name="apps"
      label={texts.selected(chosen.size)}
      help={chosen.size === 0 ? texts.noneSelectedHelp : texts.selectedHelp}
    >
      <QueryState of={apps} what={texts.loadingApps} />
      {apps.data?.length === 0 && <p className="dim">{texts.noApps}</p>}
      {all.length > MANY && (
        <input
          aria-label={texts.filter}
          placeholder={texts.filterHint}
          value={part}
          onChange={({ target }) => setPart(target.value)}
        />
      )}
      <div className="choices">
        {shown.map(({ id, name, app_id: appId }) => (
          <CheckField
            key={id}
            name={`app-${id}`}
            label={name}
            help={<code>{appId}</code>}
            value={chosen.has(id)}
            change={(isChosen) => choose(toggled(chosen, id, isChosen))}
          />
        ))}
        {all.length > 0 && shown.length === 0 && <p className="dim">{texts.noMatch(part)}</p>}
      </div>
    </Group>
  );
}
