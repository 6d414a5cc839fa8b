import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { App, Platform } from '@sluice/contracts';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { api, query } from '../../api/client';
import { Button } from '../../parts/button';
import { Modal } from '../../parts/dialog';
import { Form, SelectField, TextArea, TextField } from '../../parts/form';
import { PageHead } from '../../parts/page';
import { Pager } from '../../parts/pager';
import { Empty, ErrorNote, Loading } from '../../parts/states';

export default function Apps() {
  const [page, setPage] = useState(1);
  const [making, setMaking] = useState(false);
  const apps = useQuery({
    queryKey: ['apps', null, page],
    queryFn: () => api.list<App>(`/apps${query({ page, per_page: 50 })}`),
  });
  return (
    <>
      <PageHead
        title="Apps"
        actions={
          <Button kind="primary" onClick={() => setMaking(true)}>
            New app
          </Button>
        }
      />
      {apps.isPending && <Loading what="the apps" />}
      {apps.isError && <ErrorNote error={apps.error} again={() => void apps.refetch()} />}
      {apps.data?.data.length === 0 && (
        <Empty title="No app yet">
          <p>An app is what devices ask for: make one, then upload its first build.</p>
        </Empty>
      )}
      {apps.data !== undefined && apps.data.data.length > 0 && (
        <ul className="cards">
          {apps.data.data.map((app) => (
            <li key={app.id} className="card">
              <Link to={`/apps/${app.id}`}>
                <h2>{app.name}</h2>
              </Link>
              <code>{app.app_id}</code>
            </li>
          ))}
        </ul>
      )}
      {apps.data !== undefined && <Pager meta={apps.data.meta} turn={setPage} />}
      <NewApp open={making} close={() => setMaking(false)} />
    </>
  );
}

const PLATFORMS: readonly (readonly [Platform, string])[] = [
  ['both', 'iOS and Android'],
  ['ios', 'iOS'],
  ['android', 'Android'],
];

function NewApp({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const [name, setName] = useState('');
  const [platform, setPlatform] = useState<Platform>('both');
  const [bundleId, setBundleId] = useState('');
  const [description, setDescription] = useState('');
  const [, go] = useLocation();
  const client = useQueryClient();
  const make = useMutation({
    mutationFn: () =>
      api.post<App>('/apps', {
        name,
        platform,
        ...(bundleId === '' ? {} : { bundle_id: bundleId }),
        ...(description === '' ? {} : { description }),
      }),
    onSuccess: (app) => {
      void client.invalidateQueries({ queryKey: ['apps'] });
      close();
      go(`/apps/${app.id}`);
    },
  });
  return (
    <Modal title="New app" open={open} close={close}>
      <Form submit={() => make.mutate()} busy={make.isPending} error={make.error} verb="Make the app" cancel={close}>
        <TextField name="name" label="Name" required value={name} change={setName} />
        <SelectField name="platform" label="Platform" value={platform} change={setPlatform} options={PLATFORMS} />
        <TextField
          name="bundle_id"
          label="Bundle id (optional)"
          placeholder="com.example.shop"
          help="As the app stores know it. It can’t be changed later."
          value={bundleId}
          change={setBundleId}
        />
        <TextArea name="description" label="Description (optional)" value={description} change={setDescription} />
      </Form>
    </Modal>
  );
}
