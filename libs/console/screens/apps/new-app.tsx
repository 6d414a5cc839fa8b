import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { App, Platform } from '@sluice/contracts';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../../api/client';
import { Modal } from '../../parts/dialog';
import { Form, SelectField, TextArea, TextField } from '../../parts/form';
import { PLATFORMS } from '../app/releases/platforms';
import { useRefusal } from '../app/releases/refusals';

const CAUSES = { BUNDLE_ID_TAKEN: 'bundle_id' };

export function NewApp({ open, close }: { readonly open: boolean; readonly close: () => void }) {
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
      void client.invalidateQueries({ queryKey: ['overview'] });
      close();
      go(`/apps/${app.id}`);
    },
  });
  const error = useRefusal(make.error, CAUSES);
  return (
    <Modal title="New app" open={open} close={close}>
      <Form submit={() => make.mutate()} busy={make.isPending} error={error} verb="Make the app" cancel={close}>
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
