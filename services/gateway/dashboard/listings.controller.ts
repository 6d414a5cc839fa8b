import {
  deleteOAuthClient,
  getListingsModule,
  getOAuthClient,
  saveOAuthClient,
  setListingsModule,
} from '@sluice/contracts';
import { DashboardRoute, Routes, asSent, noRequest } from '../http/route';
import { listingsModuleBody } from './schemas';

@Routes('Listings module', 'Its switch, its entitlement and its OAuth client, for the operator alone.')
export class ListingsController {
  @DashboardRoute('GET', 'listings', {
    operator: true,
    summary: 'Whether the module is on, and paid for',
    call: getListingsModule,
    answers: { 200: 'The switch and the entitlement.' },
  })
  getListingsModule = noRequest;

  @DashboardRoute('PUT', 'listings', {
    operator: true,
    summary: 'Turn the module on or off',
    body: listingsModuleBody,
    call: setListingsModule,
    answers: { 200: 'The switch and the entitlement.' },
  })
  setListingsModule = asSent;

  @DashboardRoute('GET', 'listings/oauth-client', {
    operator: true,
    summary: 'As which OAuth client access to a merchant account is asked for',
    call: getOAuthClient,
    answers: { 200: 'The client, without its secret.' },
  })
  getOAuthClient = noRequest;

  @DashboardRoute('PUT', 'listings/oauth-client', {
    operator: true,
    summary: 'Save an OAuth client, in place of the environment’s',
    description:
      'The secret is sealed and never shown. A grant belongs to the client that it was given to: connect the store again behind a change to another client.',
    body: saveOAuthClient.request,
    call: saveOAuthClient,
    answers: { 200: 'The client that holds now.' },
  })
  saveOAuthClient = asSent;

  @DashboardRoute('DELETE', 'listings/oauth-client', {
    operator: true,
    summary: 'Forget the OAuth client that was saved',
    call: deleteOAuthClient,
    answers: { 200: 'The client that holds now, the environment’s or none.' },
  })
  deleteOAuthClient = noRequest;
}
