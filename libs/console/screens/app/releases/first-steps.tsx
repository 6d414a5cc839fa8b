import { useQuery } from '@tanstack/react-query';
import type { ApiKey, App } from '@sluice/contracts';
import { Link } from 'wouter';
import { api, query } from '../../../api/client';
import { Section } from '../../../parts/page';
import { Badge, Copyable } from '../../../parts/values';
import { useFirstCheck } from '../use-first-check';

/** What a new app needs before a device gets its first update; nothing once it has that. */
export function FirstSteps({ app, builds }: { readonly app: App; readonly builds: number }) {
  const keys = useQuery({
    queryKey: ['keys', app.id, 'count'],
    queryFn: ({ signal }) => api.list<ApiKey>(`/apps/${app.id}/api-keys${query({ per_page: 1 })}`, signal),
  });
  const check = useFirstCheck(app, 'YOUR_KEY');
  if (keys.data === undefined || check === undefined) return null;
  const hasKey = keys.data.meta.total > 0;
  if (hasKey && builds > 0) return null;
  return (
    <Section title="First steps">
      <ol className="first-steps">
        <li>Upload a build: a zip of your app’s web files, dropped onto a channel below. {builds > 0 && <Done />}</li>
        <li>
          <Link to={`/apps/${app.id}/api-keys`}>Make an API key</Link> and build it into your app: devices ask with it.{' '}
          {hasKey && <Done />}
        </li>
        <li>
          Ask as a device would, with your key:
          <Copyable text={check} label="the command" block />
        </li>
      </ol>
    </Section>
  );
}

const Done = () => <Badge tone="good">done</Badge>;
