import { useState } from 'react';
import { CheckField, Group } from '../../parts/form';
import { QueryState } from '../../parts/states';
import { toggled } from '../../parts/toggled';
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
      label={`Apps (${chosen.size} chosen)`}
      help={
        chosen.size === 0
          ? 'With none chosen it reaches only the apps that it makes itself from now on.'
          : 'It also reaches the apps that it makes itself from now on. Others answer 404 to it.'
      }
    >
      <QueryState of={apps} what="the apps" />
      {apps.data?.length === 0 && <p className="dim">There is no app yet: choose “All apps”, or make an app first.</p>}
      {all.length > MANY && (
        <input
          aria-label="Narrow the apps"
          placeholder="Part of a name"
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
        {all.length > 0 && shown.length === 0 && <p className="dim">No app has “{part}” in its name.</p>}
      </div>
    </Group>
  );
}
