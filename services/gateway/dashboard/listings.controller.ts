import {
  deleteOAuthClient,
  getListingsModule,
  getOAuthClient,
  saveOAuthClient,
  setListingsModule,
} from '@sluice/contracts';
import { DashboardRoute, Routes, asSent, noRequest } from '../http/route';
import { listingsModuleBody } from './schemas';

@Routes('Listings module', 'The module’s switch, entitlement and OAuth client, for the operator only.')
export class ListingsController {
  @DashboardRoute('GET', 'listings', {
    operator: true,
    summary: 'Get whether the module is on and entitled',
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
    summary: 'Get the OAuth client that requests access to merchant accounts',
    call: getOAuthClient,
    answers: { 200: 'The client, without its secret.' },
  })
  getOAuthClient = noRequest;

  @DashboardRoute('PUT', 'listings/oauth-client', {
    operator: true,
    summary: 'Save an OAuth client that replaces the one from the environment',
    description:
      'The secret is stored encrypted and never returned. A grant belongs to one client, so connect the shop again after you change the client.',
    body: saveOAuthClient.request,
    call: saveOAuthClient,
    answers: { 200: 'The client in force.' },
  })
  saveOAuthClient = asSent;

  @DashboardRoute('DELETE', 'listings/oauth-client', {
    operator: true,
    summary: 'Delete the saved OAuth client',
    call: deleteOAuthClient,
    answers: { 200: 'The client in force: the one from the environment, or none.' },
  })
  deleteOAuthClient = noRequest;
}
