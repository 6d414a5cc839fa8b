/** The texts of the webhook, its deliveries and its dead letters. */
import { counted } from '../shared';

export const title = 'Webhook';
export const loading = 'the webhook';
export const lead =
  'Sends a signed request to your endpoint when settings or offers change, when a sync starts or ends, and when the module is turned on or off. A request can arrive more than once. Use its ID to detect repeats.';
export const address = 'URL';
export const addressHint = 'https://hooks.example/sluice';
export const addressHelp =
  'An https URL, or an http URL on the server’s own host. Only changes made after you save the webhook are sent.';
export const waiting = 'Pending deliveries';
export const webhookSecret = 'the webhook’s secret';
export const secret = 'Secret';
export const secretHelp = 'Used to sign every request. The signature is in the header Sluice-Signature.';
export const newSecret = 'New secret, shown once';
export const ownSecret = 'Use your own secret';
export const keepSecret = 'Keep the current secret';
export const yourSecret = 'Your secret';
export const yourSecretHelp = '16 to 200 characters.';
export const save = 'Save webhook';
export const saved = 'Webhook saved.';
export const deleteWebhook = 'Delete the webhook';
export const deleteVerb = 'Delete';
export const deleteEffect = 'The URL, the secret, all pending deliveries and all dead letters are deleted.';

export const deadLetters = 'Dead letters';
export const loadingLetters = 'the dead letters';
export const deadLettersHelp = 'Deliveries that failed after all retries. They are deleted after 30 days.';
export const noLetters = 'No dead letters.';
export const resendAll = 'Resend all';
export const resend = (count: number): string => `Resend ${count.toLocaleString()}`;
export const resent = (count: number): string => `${counted(count, 'delivery', 'deliveries')} will be sent again.`;
export const deleteAll = 'Delete all';
export const deleteAllTitle = 'Delete all dead letters';
export const deleteAllEffect = (count: number): string =>
  `${count === 1 ? 'The dead letter is' : `All ${count.toLocaleString()} dead letters are`} deleted. You can’t undo this.`;
export const selection = 'Selection';
export const select = (id: string): string => `Select ${id}`;
export const hook = 'Event';
export const occurred = 'Occurred';
export const failed = 'Failed';
export const attempts = 'Attempts';
export const lastError = 'Last error';
export const id = 'ID';
export const payload = 'the payload';
