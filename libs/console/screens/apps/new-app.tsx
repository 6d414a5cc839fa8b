import type { App, Platform } from '@sluice/contracts';
import { useLocation } from 'wouter';
import { api } from '../../api/client';
import { Modal } from '../../parts/dialog';
import { Form, SelectField, TextArea, TextField } from '../../parts/form';
import { useForm } from '../../parts/send';
import { PLATFORMS } from '../app/releases/platforms';
import { useRefusal } from '../app/releases/refusals';

const CAUSES = { BUNDLE_ID_TAKEN: 'bundle_id' };

export function NewApp({ open, close }: { readonly open: boolean; readonly close: () => void }) {
  const [, go] = useLocation();
  const { form, field } = useForm(
    { name: '', platform: 'both' as Platform, bundle_id: '', description: '' },
    ({ name, platform, ...optional }) => {
      const given = Object.entries(optional).filter(([, text]) => text !== '');
      return api.post<App>('/apps', { name, platform, ...Object.fromEntries(given) });
    },
    {
      refresh: [['overview']],
      done: (app) => {
        close();
        go(`/apps/${app.id}`);
      },
    },
  );
  const error = useRefusal(form.error, CAUSES);
  return (
    <Modal title="New app" open={open} close={close}>
      <Form {...form} error={error} verb="Make the app" cancel={close}>
        <TextField {...field('name')} label="Name" required />
        <SelectField {...field('platform')} label="Platform" options={PLATFORMS} />
        <TextField
          {...field('bundle_id')}
          label="Bundle id (optional)"
          placeholder="com.example.shop"
          help="As the app stores know it. It can’t be changed later."
        />
        <TextArea {...field('description')} label="Description (optional)" />
      </Form>
    </Modal>
  );
}
