import {
  clearDeadLetters,
  deleteWebhook,
  getWebhook,
  listDeadLetters,
  resendDeadLetters,
  saveWebhook,
} from '@sluice/contracts';
import { pageQuery } from '@sluice/http';
import { DashboardRoute, Routes, asSent, noRequest } from '../http/route';

@Routes(
  'Listings webhook',
  'Where hooks are sent, signed, and what could not be delivered. docs/listings.md tells what they hold.',
)
export class WebhookController {
  @DashboardRoute('GET', 'listings/webhook', {
    operator: true,
    summary: 'The address, and how much waits for it',
    call: getWebhook,
    answers: { 200: 'The webhook, without its secret.' },
  })
  getWebhook = noRequest;

  @DashboardRoute('PUT', 'listings/webhook', {
    operator: true,
    summary: 'Set the address; only the answer that made a secret shows it',
    description:
      'Hooks are sent from the first address on, nothing of the past. Without `secret` the present one stays, or one is made; `null` makes a new one. What waits goes to the new address.',
    body: saveWebhook.request,
    call: saveWebhook,
    answers: { 200: 'The webhook is set.' },
  })
  saveWebhook = asSent;

  @DashboardRoute('DELETE', 'listings/webhook', {
    operator: true,
    summary: 'Forget address, secret, and all deliveries',
    call: deleteWebhook,
    answers: { 200: 'Whether there was one.' },
  })
  deleteWebhook = noRequest;

  @DashboardRoute('GET', 'listings/webhook/dead-letters', {
    operator: true,
    summary: 'Deliveries that were given up, the latest first',
    query: [pageQuery],
    call: listDeadLetters,
  })
  listDeadLetters = asSent;

  @DashboardRoute('POST', 'listings/webhook/dead-letters/resend', {
    operator: true,
    summary: 'Try dead letters again, those named or all',
    body: resendDeadLetters.request,
    call: resendDeadLetters,
    answers: { 200: 'How many are tried again.' },
  })
  resendDeadLetters = asSent;

  @DashboardRoute('DELETE', 'listings/webhook/dead-letters', {
    operator: true,
    summary: 'Delete all dead letters',
    call: clearDeadLetters,
    answers: { 200: 'How many were deleted.' },
  })
  clearDeadLetters = noRequest;
}
