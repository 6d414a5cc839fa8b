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
  'The webhook’s address, and deliveries that failed. docs/guides/listings-webhooks.md describes the payloads and their signature.',
)
export class WebhookController {
  @DashboardRoute('GET', 'listings/webhook', {
    operator: true,
    summary: 'Get the webhook’s address and the number of pending deliveries',
    call: getWebhook,
    answers: { 200: 'The webhook, without its secret.' },
  })
  getWebhook = noRequest;

  @DashboardRoute('PUT', 'listings/webhook', {
    operator: true,
    summary: 'Set the webhook’s address; a new secret appears only in this response',
    description:
      'Only events after the first address was set are sent. Without `secret` the current secret stays, or one is generated if there is none; `null` generates a new one. Pending deliveries go to the new address.',
    body: saveWebhook.request,
    call: saveWebhook,
    answers: { 200: 'The webhook is set.' },
  })
  saveWebhook = asSent;

  @DashboardRoute('DELETE', 'listings/webhook', {
    operator: true,
    summary: 'Delete the webhook, its secret and all deliveries',
    call: deleteWebhook,
    answers: { 200: 'Whether there was a webhook.' },
  })
  deleteWebhook = noRequest;

  @DashboardRoute('GET', 'listings/webhook/dead-letters', {
    operator: true,
    summary: 'List dead letters, the latest first',
    query: [pageQuery],
    call: listDeadLetters,
  })
  listDeadLetters = asSent;

  @DashboardRoute('POST', 'listings/webhook/dead-letters/resend', {
    operator: true,
    summary: 'Retry the named dead letters, or all of them',
    body: resendDeadLetters.request,
    call: resendDeadLetters,
    answers: { 200: 'How many deliveries are retried.' },
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
