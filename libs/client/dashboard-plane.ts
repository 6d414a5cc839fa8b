// Generated from the OpenAPI description: npm run docs:client

/** Of the description that this package was generated from. */
export const API_VERSION = '1.0.0';
export const BASE = '/api/dashboard/v1';
/** A POST to these takes an `Idempotency-Key`, so that a repeat has no further effect. */
export const REPEATABLE_POSTS: readonly string[] = [
  '/owners',
  '/owners/{owner}/rotate-key',
  '/owners/{owner}/suspend',
  '/owners/{owner}/resume',
  '/apps',
  '/tokens',
  '/tokens/{token}/rotate',
  '/tokens/{token}/revoke',
  '/apps/{app}/channels',
  '/apps/{app}/channels/{channel}/keys',
  '/apps/{app}/channels/{channel}/keys/{key}/reveal',
  '/apps/{app}/builds',
  '/apps/{app}/builds/{build}/promote',
  '/apps/{app}/builds/{build}/recall',
  '/apps/{app}/builds/{build}/unrecall',
  '/apps/{app}/builds/{build}/retry',
  '/apps/{app}/builds/{build}/plan/hold',
  '/apps/{app}/builds/{build}/plan/resume',
  '/apps/{app}/builds/{build}/plan/skip',
  '/apps/{app}/gate-secret',
  '/apps/{app}/groups/{group}',
  '/apps/{app}/api-keys',
  '/apps/{app}/api-keys/{key}/rotate',
  '/apps/{app}/api-keys/{key}/reveal',
  '/apps/{app}/api-keys/{key}/revoke',
  '/apps/{app}/api-keys/{key}/deprecate',
  '/apps/{app}/signing-key',
  '/apps/{app}/signing-key/rotate',
  '/apps/{app}/signing-keys/{key}/retire',
  '/apps/{app}/keystore',
];

export interface paths {
  '/session': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the logged-in owner and when the session ends */
    get: operations['getSession'];
    put?: never;
    /**
     * Log in with the owner key
     * @description The cookie is HttpOnly and SameSite=Strict. Failed logins count against the limit of the client’s IP address.
     */
    post: operations['beginSession'];
    /** Log out immediately on every gateway */
    delete: operations['endSession'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/owner': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the calling owner */
    get: operations['getOwner'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/owner/rotate-key': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate your owner key; the key appears only in this response
     * @description The previous key and its sessions stop working immediately, everywhere; with `revoke_tokens`, so do all tokens of the owner. Use it after a key has leaked.
     */
    post: operations['rotateOwnKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/owners': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List all owners, by ID; for the operator */
    get: operations['listOwners'];
    put?: never;
    /** Create an owner; its key appears only in this response */
    post: operations['createOwner'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/owners/{owner}/rotate-key': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate the key of an owner; the key appears only in this response
     * @description The previous key and its sessions stop working immediately, everywhere; with `revoke_tokens` so do all tokens of the owner.
     */
    post: operations['rotateOwnerKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/owners/{owner}/suspend': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Suspend an owner; for the operator
     * @description Its key, sessions and tokens get 403 `OWNER_SUSPENDED` from this response on. Devices of its apps still get updates unless `stop_devices` is true; then they get the same 403. Issued download URLs work until they expire. Suspending again changes the reason and `stop_devices`.
     */
    post: operations['suspendOwner'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/owners/{owner}/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End the suspension of an owner; for the operator
     * @description Has no effect on an owner that is not suspended.
     */
    post: operations['resumeOwner'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/settings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get limits, sizes, retention and version; for the operator also the engines */
    get: operations['getSettings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/storage': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get how much storage the owner uses
     * @description Counts the bundles of the owner’s apps, each once even if several builds share it. Does not count keystores, or bundles without a build that await deletion.
     */
    get: operations['getStorage'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Subscribe to changes
     * @description Server-sent events. `event: hello` comes first, and again after a reconnection. Nothing is replayed: after each `hello`, also the first, request everything again. `event: changed` carries `{"topic": …, "app": id or null, "id": …}`: request what you show of it again; the response has the change. `app` is the integer id of the app, or null if the change belongs to none. `id` is omitted if several things changed. Topics: `apps`, `builds`, `jobs`, `keys`, `signing-key`, `keystore`, `tokens`, `owner`, `listings`; `listings` is the whole listings API and is sent only to the operator, `owner` carries the owner’s id. Changes within a tenth of a second are sent as one. Reports of devices and the use of keys and tokens are not sent. A comment comes every 15 s. The stream ends when the session or the owner key that it was opened with ends, at the latest with the next comment, and when the process stops. An open stream does not keep its session alive.
     */
    get: operations['streamEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/overview': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the owner’s apps with their channels and health, by ID
     * @description What each channel serves, and the health of each app. `devices`, `builds`, `blocked`, `plans` or `health` is null while the service that provides it does not respond.
     */
    get: operations['getOverview'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/builds': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Find builds of a version in the owner’s apps
     * @description A page of the apps, by id, each with its newest builds of exactly this version, at most 5. An app without one has an empty list.
     */
    get: operations['findBuilds'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/plans': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the rollout plans of an app that are open
     * @description Plans that run or are held, and those that failed and whose builds are stopped. At most 50 of each status, newest first.
     */
    get: operations['getOpenPlans'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the owner’s apps, by ID; deleted ones on request */
    get: operations['listOwnedApps'];
    put?: never;
    /**
     * Register an app
     * @description If the token is limited to specific apps, the new app is added to them.
     */
    post: operations['createApp'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the history of an app, newest first, including deleted apps
     * @description Use the integer id for a deleted app. Paging is limited to 100000 entries. Use `from` and `to` for older ones.
     */
    get: operations['getOwnedAppHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/activity': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the latest entries of the histories of all apps of the owner, newest first
     * @description At most 50 entries, of up to 200 of the newest apps, including deleted ones. An entry may be missing for a moment after its change.
     */
    get: operations['getActivity'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One app */
    get: operations['getApp'];
    put?: never;
    post?: never;
    /**
     * Delete an app permanently, with its builds and keys
     * @description Its bundle_id can be registered again.
     */
    delete: operations['deleteApp'];
    options?: never;
    head?: never;
    /**
     * Edit an app
     * @description Omitted members keep their values; a bundle_id can never be changed. Only the owner can change signing_key_rotation, unique_signatures and keep_builds.
     */
    patch: operations['editApp'];
    trace?: never;
  };
  '/tokens': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the owner’s access tokens, by ID */
    get: operations['listTokens'];
    put?: never;
    /** Create an access token; the secret appears only in this response */
    post: operations['createToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/tokens/{token}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get an access token */
    get: operations['getToken'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Update the name, permissions, apps or expiry of an access token
     * @description Omitted members keep their values. `apps` replaces all apps that the token can reach, including those that it registered. `all_apps: true` grants access to all apps; `all_apps: false` requires `apps`. Takes effect immediately on every gateway.
     */
    patch: operations['editToken'];
    trace?: never;
  };
  '/tokens/{token}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate the secret of an access token; the secret appears only in this response
     * @description The previous secret stops working immediately on every gateway. Nothing else changes.
     */
    post: operations['rotateToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/tokens/{token}/revoke': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Revoke an access token immediately on every gateway */
    post: operations['revokeToken'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/listings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get whether the module is on and entitled */
    get: operations['getListingsModule'];
    /** Turn the module on or off */
    put: operations['setListingsModule'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/listings/oauth-client': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the OAuth client that requests access to merchant accounts */
    get: operations['getOAuthClient'];
    /**
     * Save an OAuth client that replaces the one from the environment
     * @description The secret is stored encrypted and never returned. A grant belongs to one client, so connect the shop again after you change the client.
     */
    put: operations['saveOAuthClient'];
    post?: never;
    /** Delete the saved OAuth client */
    delete: operations['deleteOAuthClient'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/listings/webhook': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the webhook’s address and the number of pending deliveries */
    get: operations['getWebhook'];
    /**
     * Set the webhook’s address; a new secret appears only in this response
     * @description Only events after the first address was set are sent. Without `secret` the current secret stays, or one is generated if there is none; `null` generates a new one. Pending deliveries go to the new address.
     */
    put: operations['saveWebhook'];
    post?: never;
    /** Delete the webhook, its secret and all deliveries */
    delete: operations['deleteWebhook'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/listings/webhook/dead-letters': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List dead letters, the latest first */
    get: operations['listDeadLetters'];
    put?: never;
    post?: never;
    /** Delete all dead letters */
    delete: operations['clearDeadLetters'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/listings/webhook/dead-letters/resend': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Retry the named dead letters, or all of them */
    post: operations['resendDeadLetters'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/secrets/reseal': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Encrypt one batch of secrets again with the current master key */
    post: operations['resealSecrets'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/secrets/data-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the data keys, their versions and what a rotation changes */
    get: operations['listDataKeys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/secrets/data-keys/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Rotate the named data keys, or all of them */
    post: operations['rotateDataKeys'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/diagnostics': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get versions, engines, read models, disk and traffic of one process of each service */
    get: operations['getDiagnostics'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/projections': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the read models and their progress */
    get: operations['listProjections'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/projections/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get a read model, its progress, and the result of its last rebuild or verification */
    get: operations['getProjection'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/projections/{name}/rebuild': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Rebuild a read model from all events while the current one serves reads */
    post: operations['rebuildProjection'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/projections/{name}/verify': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Verify a read model: replay all events and compare the result row by row */
    post: operations['verifyProjection'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/upgrade': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get whether the upgrade to this release is finished, and which replicas it waits for */
    get: operations['getUpgrade'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/upgrade/finish': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Finish the upgrade to this release once every replica runs it; this cannot be undone
     * @description Raises the format of the installation, which new commands require. Releases that do not support the new format no longer start. Repeating the request changes nothing.
     */
    post: operations['finishUpgrade'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/channels': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the channels of an app: the standard ones, then those that it has added, by name */
    get: operations['listChannels'];
    put?: never;
    /**
     * Add a channel
     * @description An app may add CHANNEL_LIMIT channels, 1,000 by default. A channel can not be renamed.
     */
    post: operations['addChannel'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/channels/{channel}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A channel */
    get: operations['getChannel'];
    put?: never;
    post?: never;
    /**
     * Delete a channel that the app has added, with its builds
     * @description Devices that name the channel get channelClosed for 30 days. A channel that is added under the same name later is another channel.
     */
    delete: operations['removeChannel'];
    options?: never;
    head?: never;
    /**
     * Change when a channel expires, whether devices may choose it, or its audience
     * @description Omitted members keep their values. Of a standard channel, only the audience can be changed.
     */
    patch: operations['editChannel'];
    trace?: never;
  };
  '/apps/{app}/channels/{channel}/keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the keys that belong to a channel, by ID */
    get: operations['listChannelKeys'];
    put?: never;
    /**
     * Create a key that belongs to a channel
     * @description At most three for each channel, in addition to the three of the app. Checks and reports with the key are for that channel only, and the key is deleted with it. With `key`, the key has this text: one that apps in the field have already. No other key of the server may have it.
     */
    post: operations['createChannelKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/channels/{channel}/keys/{key}/restrictions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Replace the restrictions of a key that belongs to a channel
     * @description As for the other keys of the app. The key stays one of its channel.
     */
    patch: operations['restrictChannelKey'];
    trace?: never;
  };
  '/apps/{app}/channels/{channel}/keys/{key}/reveal': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reveal the secret of a key that belongs to a channel */
    post: operations['revealChannelKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/channels/{channel}/keys/{key}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** Delete a key that belongs to a channel immediately and permanently */
    delete: operations['deleteChannelKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List builds, newest first */
    get: operations['listBuilds'];
    put?: never;
    /**
     * Upload a bundle
     * @description The build is not live yet. Poll the job at status_url about every 5 seconds until it is completed or failed. A plan is set once the build is active; until then the build is offered to no more devices than in its first step.
     */
    post: operations['uploadBuild'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/retention': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Preview the builds that retention would delete now
     * @description Deletes nothing. keep_builds replaces the number of builds that are kept per channel; by default the number in force. Retention never deletes a build that a device may be offered, the head of a channel, a build that is being checked, or one that changed within BUILD_RETENTION_GRACE_SECONDS.
     */
    get: operations['previewRetention'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** One build */
    get: operations['getBuild'];
    put?: never;
    post?: never;
    /**
     * Delete a build permanently
     * @description Promoted copies keep working.
     */
    delete: operations['deleteBuild'];
    options?: never;
    head?: never;
    /**
     * Pause, resume, archive or edit a build
     * @description Omitted members keep their values. Setting min_native_version clears native_range, and setting native_range clears min_native_version.
     */
    patch: operations['editBuild'];
    trace?: never;
  };
  '/apps/{app}/builds/{build}/promote': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Promote a build to another channel
     * @description The new build is active immediately and shares the stored bundle. With a plan, it is offered to no more devices than in the first step of the plan.
     */
    post: operations['promoteBuild'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}/rollout': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Change a rollout
     * @description Send rollout_percentage, enabled, ring, or several of them.
     */
    patch: operations['changeRollout'];
    trace?: never;
  };
  '/apps/{app}/builds/{build}/recall': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * A recall in force, or what a recall would do
     * @description Also for a recalled build that is deleted: devices still run it.
     */
    get: operations['getRecall'];
    put?: never;
    /**
     * Recall a build: no device is offered it, and devices that run it get another one
     * @description Devices that run the version get the target at their next update check, as a mandatory update. The same request again changes nothing.
     */
    post: operations['recallBuild'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}/unrecall': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * End a recall
     * @description The build stays paused. Devices that the recall moved keep what they have.
     */
    post: operations['unrecallBuild'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}/retry': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Offer a build again to the devices that rolled it back
     * @description A device that reports that it rolled a build back is not offered it again, until this request. The statistics of the build count these devices.
     */
    post: operations['retryBuild'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}/plan': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The last plan that was set for a build */
    get: operations['getPlan'];
    /**
     * Set the plan of a build
     * @description Without windows and start_at, the plan enters its first step immediately. If a person changes the rollout or the status of the build, the plan ends. A build has one plan at a time. Instead of the settings of a plan, the body can contain template, the name of a plan template, and start_at. If the plan has a webhook gate and the app has no secret for such gates, the request creates one. Only its response contains it.
     */
    put: operations['setPlan'];
    post?: never;
    /**
     * End the plan of a build
     * @description The build keeps its rollout.
     */
    delete: operations['deletePlan'];
    options?: never;
    head?: never;
    /**
     * Change the steps of a plan that runs or is held
     * @description Send all steps. Those before the present one must stay as they are, and the present one must keep its percentage. It has lasted as long as before, so a shorter hold_minutes can end it. Without further steps, the plan completes after the present one.
     */
    patch: operations['changePlanSteps'];
    trace?: never;
  };
  '/apps/{app}/builds/{build}/plan/hold': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Hold the plan of a build
     * @description The build keeps its percentage. A plan that is already held does not change.
     */
    post: operations['holdPlan'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}/plan/resume': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Resume a plan that is held
     * @description Its step starts again. If the plan was held because the reports made the gate fail, the devices that were counted then no longer count: the step needs min_devices new devices.
     */
    post: operations['resumePlan'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}/plan/skip': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Enter the next step of a plan now
     * @description Also while the plan is held. In the last step, this completes the plan.
     */
    post: operations['skipPlanStep'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/gate-secret': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create or replace the secret of the webhook gates of an app
     * @description Requests are signed with the new secret from then on.
     */
    post: operations['replaceGateSecret'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/plan-templates': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the plan templates of an app, by name */
    get: operations['listPlanTemplates'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/plan-templates/{template}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A plan template */
    get: operations['getPlanTemplate'];
    /**
     * Create or change a plan template
     * @description A plan copies the settings of its template when it is set. A later change of the template does not change the plan.
     */
    put: operations['setPlanTemplate'];
    post?: never;
    /**
     * Delete a plan template
     * @description The plans that were copied from it stay as they are.
     */
    delete: operations['deletePlanTemplate'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}/pins': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count the devices that are pinned to a build
     * @description They can not be listed: only keyed hashes of their IDs are stored.
     */
    get: operations['getPins'];
    put?: never;
    post?: never;
    /** Remove all pins of a build */
    delete: operations['removePins'];
    options?: never;
    head?: never;
    /**
     * Pin devices to a build, or remove their pins
     * @description A pinned device is offered the build whatever its rollout percentage, as long as other devices could be offered it too: it is active, its rollout is enabled, and it suits the device. A newer build that the device is offered still comes first. The IDs are stored as keyed hashes; the history of the build shows how many devices were pinned, not which.
     */
    patch: operations['changePins'];
    trace?: never;
  };
  '/apps/{app}/channels/{channel}/pins': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count the devices that are pinned in a channel
     * @description They can not be listed: only keyed hashes of their IDs are stored.
     */
    get: operations['getChannelPins'];
    put?: never;
    post?: never;
    /** Remove all pins of a channel */
    delete: operations['removeChannelPins'];
    options?: never;
    head?: never;
    /**
     * Pin devices in a channel, or remove their pins
     * @description A device that is pinned in a channel is in the audience of the channel whatever its rules. Without an audience, every device is. The IDs are stored as keyed hashes; the history shows how many devices were pinned, not which.
     */
    patch: operations['changeChannelPins'];
    trace?: never;
  };
  '/apps/{app}/builds/{build}/history': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the history of a build, newest first
     * @description Paging is limited to 100000 entries. Use `from` and `to` for older ones.
     */
    get: operations['getBuildHistory'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/adoption': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Count active devices by day, version, platform and native version
     * @description Days are UTC. A device counts once a day, by the last version, platform and native version that it reported that day. A report names no channel.
     */
    get: operations['getAdoption'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/health': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Judge the current builds of an app by the reports of devices
     * @description The builds that devices may get, and the recalled ones: of each channel at most 5 active, 3 that replace recalled builds and 3 recalled ones, of the app at most 60. The numbers are up to a few seconds old.
     */
    get: operations['getHealth'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}/stats': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the adoption of a build
     * @description Each number counts devices, each once; `checks` are those of the channel on days on which the build was first offered to a device, or reported. `checks` and `offered` are approximate.
     */
    get: operations['getBuildStats'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/builds/{build}/files': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Compare the files of a build with those of another build
     * @description Returns 503 with Retry-After while the files are being indexed, which begins when the build is uploaded, and 404 `NOT_FOUND` if the build has too many files (their index has more than 8 MiB, about 30,000 files), or is encrypted.
     */
    get: operations['getBuildFiles'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/explain': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Explain which build a device would be offered, and why not each newer one
     * @description Evaluated now, by the rules of an update check. If the device has chosen a channel itself, this is the channel, also if the request names another one.
     */
    get: operations['explainUpdate'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/devices/{device}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the stored state of a device
     * @description The last reported state, stored for `DEVICE_STATE_DAYS` after that report, the channel that the device has chosen, and the number of stored reports. Together with the list of these reports, this is everything that is stored about the device. `state` is null if the device never reported.
     */
    get: operations['getDevice'];
    put?: never;
    post?: never;
    /**
     * Delete everything that is stored about a device
     * @description Deletes its reports and its state, its pins, the channel that it has chosen, and its places in device groups. Totals of past days identify no device and do not change.
     */
    delete: operations['forgetDevice'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/devices/{device}/reports': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List the stored reports of a device
     * @description Each distinct report once, with the time at which it was first received.
     */
    get: operations['listDeviceReports'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/groups': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the device groups of an app, by name */
    get: operations['listGroups'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/groups/{group}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * One device group
     * @description Its devices are stored as hashes and cannot be read back.
     */
    get: operations['getGroup'];
    put?: never;
    /**
     * Create or replace a device group
     * @description Send the part file: text in UTF-8 with one device ID in each line, at most 1,000,000. Devices are in the group within seconds after the response. Builds for which the audience of the build or the channel names the group are offered to them. If any line is wrong, nothing changes.
     */
    post: operations['replaceGroup'];
    /**
     * Delete a device group
     * @description Builds whose audience names no other group, and those of channels whose audience names no other, are then offered to no device.
     */
    delete: operations['deleteGroup'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/jobs/{job}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the progress of an upload */
    get: operations['getJob'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/api-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** List the keys of an app, by ID */
    get: operations['listApiKeys'];
    put?: never;
    /** Create a key */
    post: operations['createApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/api-keys/{key}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get a key, without its secret */
    get: operations['getApiKey'];
    put?: never;
    post?: never;
    /** Delete a key immediately and permanently */
    delete: operations['deleteApiKey'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/api-keys/{key}/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate the secret of a key
     * @description The previous secret stops working immediately.
     */
    post: operations['rotateApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/api-keys/{key}/reveal': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Reveal the secret of a key */
    post: operations['revealApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/api-keys/{key}/restrictions': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    /**
     * Replace the restrictions of a key
     * @description Replaces all restrictions. A kind that is omitted is cleared, and `{}` clears all. A body is required. A caller that matches one entry of origins, android or ios may use the key. With channels, a check or a report of another channel is rejected, and a key for one channel determines the channel of checks that name none.
     */
    patch: operations['restrictApiKey'];
    trace?: never;
  };
  '/apps/{app}/api-keys/{key}/revoke': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Revoke a key immediately and permanently */
    post: operations['revokeApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/api-keys/{key}/deprecate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Mark a key for retirement; it keeps working */
    post: operations['deprecateApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/signing-key': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the public key, if there is one */
    get: operations['getSigningKey'];
    put?: never;
    /** Create a signing key */
    post: operations['createSigningKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/signing-key/rotate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Rotate the signing key
     * @description The previous key continues to sign, because installed apps trust only that key. `signature` is made with the oldest such key until it is retired. With expected_fingerprint, nothing changes unless it is the fingerprint of the active key.
     */
    post: operations['rotateSigningKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/signing-keys': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * List all signing keys, newest first
     * @description The active key, previous keys (`former`) that still sign, and retired keys. `devices` counts the devices whose last reported version was first signed while the key was the newest. Update these devices before you retire that key. Versions with a supplied signature are not counted. It is null while the device API does not respond.
     */
    get: operations['listSigningKeys'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/signing-keys/{key}/certificate': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /**
     * Get the certificate of a signing key
     * @description A self-signed X.509 certificate for the clients of Expo: `codeSigningCertificate` of the app. `keyid` and `alg` belong into its `codeSigningMetadata`. Retired keys have none.
     */
    get: operations['getSigningCertificate'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/signing-keys/{key}/retire': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Retire a previous signing key immediately and permanently
     * @description Its private key is deleted. Installed apps that trust only this key reject all builds that are signed later. Repeating the request changes nothing.
     */
    post: operations['retireSigningKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/keystore': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Get the backup, if there is one */
    get: operations['getKeystore'];
    put?: never;
    /** Upload a keystore, replacing an earlier one */
    post: operations['uploadKeystore'];
    /** Delete the backup permanently */
    delete: operations['deleteKeystore'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/apps/{app}/keystore/download': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Download the keystore as it was uploaded */
    get: operations['downloadKeystore'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    Owner: {
      id: number;
      name: string;
      operator: boolean;
      key_rotated_at: string | null;
      suspended: {
        /** Format: date-time */
        at: string;
        reason: string;
        stop_devices: boolean;
      } | null;
      /** Format: date-time */
      created_at: string;
    };
    AccessToken: {
      id: number;
      name: string;
      permissions: ('manage' | 'builds.delete' | 'apps.delete' | 'keys.delete' | 'manage_store')[];
      all_apps: boolean;
      apps: number[];
      /** @enum {string} */
      status: 'active' | 'expired' | 'revoked';
      last_used_at: string | null;
      expires_at: string | null;
      /** Format: date-time */
      created_at: string;
    };
    OwnedApp: {
      id: number;
      app_id: string;
      bundle_id: string | null;
      name: string;
      description: string | null;
      /** @enum {string} */
      platform: 'ios' | 'android' | 'both';
      platforms: ('ios' | 'android')[];
      channels: string[];
      /** @enum {string} */
      signing_key_rotation: 'any_token' | 'owner_only';
      unique_signatures: boolean;
      keep_builds: number | null;
      /**
       * @description By channel, the rollout of uploads and promotions for which the CLI gets neither --rollout nor --plan: a percentage, or the name of a plan template. The console preselects it. The API does not apply it.
       * @default {}
       */
      default_rollout: {
        production?: number | string;
        staging?: number | string;
        development?: number | string;
      };
      /**
       * @description Values that devices may send about themselves as X-Attr-{name}, and audiences may name: the type of each attribute. Others are ignored.
       * @default {}
       */
      attributes: {
        [key: string]: 'string' | 'version';
      };
      /**
       * @description By platform of the device, the channel of devices whose update check names none. `all` is for the platforms that are left out. Without one, or if the channel was deleted, it is production. A channel that is added later under the name of a deleted one is the default again.
       * @default {}
       */
      default_channels: {
        ios?: string;
        android?: string;
        web?: string;
        all?: string;
      };
      /**
       * @description By alias, the channel that devices with the update client of another server get under this name. An alias that is also the name of a channel means that channel. Deleting a channel deletes its aliases.
       * @default {}
       */
      channel_aliases: {
        [key: string]: string;
      };
      /**
       * @description Rises with every change of what a request can change of this app; adding a channel is none. If-Match takes it, as in the ETag.
       * @default 1
       */
      revision: number;
      /** Format: date-time */
      created_at: string;
      removed_at: string | null;
    };
    AppOverview: {
      id: number;
      app_id: string;
      name: string;
      /** @enum {string} */
      platform: 'ios' | 'android' | 'both';
      devices: {
        channels: {
          channel: string;
          build: {
            id: number;
            version: string;
            /** @enum {string} */
            state: 'processing' | 'live' | 'rolling_out' | 'stopped' | 'failed' | 'archived';
            rollout_percentage: number;
            rollout_enabled: boolean;
            mandatory: boolean;
          } | null;
        }[];
        active_today: number;
        active_yesterday: number;
        install_failures: number;
        rollbacks: number;
      } | null;
      builds: {
        processing: number;
        failed: number;
        /**
         * @description The recalled ones of the newest 20 builds that are paused, newest first.
         * @default []
         */
        recalled: {
          id: number;
          version: string;
          channel: string;
          /** @default null */
          recall_reason: string | null;
        }[];
      } | null;
      blocked: {
        count: number;
        last_at: string | null;
      } | null;
      /** @description Rollout plans that run or are held, and those that failed and whose builds are stopped. */
      plans:
        | {
            build_id: number;
            version: string;
            channel: string;
            /** @description Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted. */
            because: ('manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted') | null;
            /** @enum {string} */
            status: 'running' | 'held' | 'failed';
            /** @description The percentage of its step. Null: it is in none yet. */
            percentage: number | null;
            /** @description In words, why the last verdict was not `pass`. */
            reasons: string[];
          }[]
        | null;
      /** @description The current builds, at most 20: failing ones first, then those to watch, newest first. */
      health:
        | {
            build_id: number;
            version: string;
            channel: string;
            /** @enum {string} */
            state: 'processing' | 'live' | 'rolling_out' | 'stopped' | 'failed' | 'archived';
            recalled: boolean;
            rollout_percentage: number;
            /** @description Devices that run the build now, by the last report of each within `DEVICE_STATE_DAYS` days. */
            running: number;
            /** @description Devices that run any build of its channel. Those that run no known build are counted in production. */
            channel_devices: number;
            /** @description Devices that installed it, since it was created. */
            installed: number;
            /** @description Devices whose installation failed. */
            failed: number;
            /** @description Devices that rolled it back. */
            rolled_back: number;
            /** @description Devices that installed it, failed or rolled it back, each once. */
            attempts: number;
            /** @description Devices whose installation failed or was rolled back, each once. */
            failed_attempts: number;
            /**
             * @description failing: it certainly fails on more devices than the limit allows; watch: it may; unknown: too few attempts to judge; healthy: none of these.
             * @enum {string}
             */
            health: 'healthy' | 'watch' | 'failing' | 'unknown';
            /** @description failed_attempts as a share of attempts. Null: there are no attempts. */
            failed_percent: number | null;
            /** @description The highest share that is accepted. */
            limit_percent: number;
            /**
             * @description Where the limit is from: the rollout plan of the build, the failure rate of the previous build, or the default of rollout plans.
             * @enum {string}
             */
            judged_by: 'plan' | 'baseline' | 'default';
            /** @description The previous build, if its failure rate counts. */
            baseline_build_id: number | null;
          }[]
        | null;
    };
    ListingsModule: {
      enabled: boolean;
      entitled: boolean;
    };
    Projection: {
      name: string;
      service: string;
      version: number;
      position: string;
      caught_up: boolean;
      stopped: string | null;
      task: {
        /** @enum {string} */
        kind: 'rebuild' | 'verify';
        /** @enum {string} */
        status: 'running' | 'completed' | 'failed' | 'interrupted';
        /** Format: date-time */
        started_at: string;
        finished_at: string | null;
        position: string;
        error: string | null;
        verification: {
          position: string;
          rows: number;
          different: number;
          differences: {
            collection: string;
            id: string;
            /** @enum {string} */
            kind: 'missing' | 'surplus' | 'different';
            members: string[];
          }[];
        } | null;
      } | null;
    };
    App: {
      id: number;
      app_id: string;
      bundle_id: string | null;
      name: string;
      description: string | null;
      /** @enum {string} */
      platform: 'ios' | 'android' | 'both';
      platforms: ('ios' | 'android')[];
      channels: string[];
      /** @enum {string} */
      signing_key_rotation: 'any_token' | 'owner_only';
      unique_signatures: boolean;
      keep_builds: number | null;
      /**
       * @description By channel, the rollout of uploads and promotions for which the CLI gets neither --rollout nor --plan: a percentage, or the name of a plan template. The console preselects it. The API does not apply it.
       * @default {}
       */
      default_rollout: {
        production?: number | string;
        staging?: number | string;
        development?: number | string;
      };
      /**
       * @description Values that devices may send about themselves as X-Attr-{name}, and audiences may name: the type of each attribute. Others are ignored.
       * @default {}
       */
      attributes: {
        [key: string]: 'string' | 'version';
      };
      /**
       * @description By platform of the device, the channel of devices whose update check names none. `all` is for the platforms that are left out. Without one, or if the channel was deleted, it is production. A channel that is added later under the name of a deleted one is the default again.
       * @default {}
       */
      default_channels: {
        ios?: string;
        android?: string;
        web?: string;
        all?: string;
      };
      /**
       * @description By alias, the channel that devices with the update client of another server get under this name. An alias that is also the name of a channel means that channel. Deleting a channel deletes its aliases.
       * @default {}
       */
      channel_aliases: {
        [key: string]: string;
      };
      /**
       * @description Rises with every change of what a request can change of this app; adding a channel is none. If-Match takes it, as in the ETag.
       * @default 1
       */
      revision: number;
      /** Format: date-time */
      created_at: string;
    };
    Build: {
      id: number;
      version: string;
      channel: string;
      /** @enum {string} */
      status: 'uploading' | 'processing' | 'active' | 'archived' | 'failed' | 'paused';
      /**
       * @description From status and rollout together. live: every device that it suits gets it; rolling_out: rollout_percentage of them; stopped: no further device, because it is paused, halted or at 0%.
       * @enum {string}
       */
      state: 'processing' | 'live' | 'rolling_out' | 'stopped' | 'failed' | 'archived';
      checksum: string | null;
      checksum_algorithm: 'SHA-256' | null;
      signature: string | null;
      file_size: number | null;
      release_notes: string | null;
      min_native_version: string | null;
      /**
       * @description A semver range: only devices whose native version is in it get the build, and those that send none.
       * @default null
       */
      native_range: string | null;
      /**
       * @description Only devices that send exactly this text in X-Native-Fingerprint get the build.
       * @default null
       */
      fingerprint: string | null;
      /**
       * @description ios, android: only devices of that platform get the build. all: every device that the app is for.
       * @default all
       * @enum {string}
       */
      platform: 'ios' | 'android' | 'all';
      /**
       * @description Of a bundle that was encrypted before its upload: what clients need to decrypt it. Only clients of that update service are offered the build. Null: the bundle is a zip.
       * @default null
       */
      delivery: {
        capgo: {
          /** @description Base64 of the IV, a colon, and Base64 of the AES key, which is encrypted with the private key. */
          session_key: string;
          /** @description SHA-256 of the zip before its encryption, encrypted with the private key: 256 bytes in hex or Base64. */
          checksum: string;
          /** @description The first 20 characters of the public key in Base64. Devices that send another one are not offered the build. */
          key_id?: string;
        };
      } | null;
      rollout_percentage: number | null;
      rollout_enabled: boolean;
      /**
       * @description Which devices the percentage selects: per_build, for each build other ones; stable, the same ones first for all builds of the app with a stable ring.
       * @default per_build
       * @enum {string}
       */
      ring: 'per_build' | 'stable';
      mandatory: boolean;
      /**
       * @description The devices that are offered the build; its rollout is a percentage of them. Null: all devices.
       * @default null
       */
      audience: {
        /**
         * @description Only the pinned devices are in the audience. It then has no other rule.
         * @constant
         */
        pinned_only?: true;
        /** @description Names of device groups of the app, one of which has to have the device. */
        groups?: string[];
        /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
        attributes?: {
          [key: string]:
            | {
                equal: string;
              }
            | {
                in: string[];
              }
            | {
                range: string;
              };
        };
      } | null;
      promoted_from_id: number | null;
      /**
       * @description Set while the build is recalled. Its status is paused then.
       * @default null
       */
      recalled_at: string | null;
      /** @default null */
      recall_reason: string | null;
      /**
       * @description What devices that run a recalled build get: the ID of a build, embedded (the bundle inside their native app), or none.
       * @default null
       */
      recall_target: (number | ('embedded' | 'none')) | null;
      /**
       * @description The recalled build whose devices get this build. Other devices never get it.
       * @default null
       */
      recall_of: number | null;
      /**
       * @description The build that this one republishes under a higher version, for a recall.
       * @default null
       */
      republished_from_id: number | null;
      job_id: string | null;
      /**
       * @description What the upload stated about the origin of the build, such as its commit. Empty: nothing. A promoted build has that of its source.
       * @default {}
       */
      metadata: {
        [key: string]: string;
      };
      /** @description Rises with every change of this build. If-Match takes it, as in the ETag. */
      revision: number;
      /** Format: date-time */
      created_at: string;
      /** Format: date-time */
      updated_at: string;
    };
    Job: {
      id: string;
      /** @constant */
      type: 'build.process';
      /** @enum {string} */
      status: 'pending' | 'processing' | 'completed' | 'failed';
      attempts: number;
      result: {
        build_id: number;
        version: string;
        channel: string;
      } | null;
      error: string | null;
      queued_at: string | null;
      started_at: string | null;
      finished_at: string | null;
      /** Format: uri */
      status_url: string;
    };
    ApiKey: {
      id: number;
      name: string;
      key_preview: string;
      /** @enum {string} */
      status: 'active' | 'deprecated' | 'revoked';
      recoverable: boolean;
      restrictions: {
        origins?: string[];
        android?: {
          package_name: string;
          sha256?: string[];
          sha1?: string[];
        }[];
        ios?: {
          bundle_id: string;
          team_id?: string;
        }[];
        channels?: string[];
      };
      unrestricted: boolean;
      blocked_count: number;
      last_blocked_at: string | null;
      last_blocked_reason: string | null;
      last_used_at: string | null;
      /**
       * @description The last update check with the key. Null: none, or only before the server recorded them.
       * @default null
       */
      last_check: {
        /** Format: date-time */
        at: string;
        /** @enum {string} */
        platform: 'ios' | 'android' | 'web' | 'all';
        /** @description The version that the device was offered. Null: no update. */
        version: string | null;
      } | null;
      rotated_at: string | null;
      /**
       * @description Rises with every change of this key. If-Match takes it, as in the ETag.
       * @default 1
       */
      revision: number;
      /** Format: date-time */
      created_at: string;
    };
    HistoryEntry: {
      id: string;
      /** Format: date-time */
      at: string;
      type: string;
      actor: string;
      build_id: number | null;
      channel: string | null;
      key_id: number | null;
      before: {
        [key: string]: unknown;
      } | null;
      after: {
        [key: string]: unknown;
      } | null;
      actor_name: string | null;
    };
    Adoption: {
      days: string[];
      total: number[];
      versions: {
        version: string | null;
        active: number[];
      }[];
      platforms: {
        /** @enum {string} */
        platform: 'ios' | 'android' | 'web' | 'all';
        active: number[];
      }[];
      native_versions: {
        version: string | null;
        active: number[];
      }[];
      /**
       * @description The builds that first became active in their channel on these days, newest first, at most 200.
       * @default []
       */
      releases: {
        build_id: number;
        version: string;
        channel: string;
        /** Format: date-time */
        at: string;
      }[];
    };
    BuildFiles: {
      build_id: number;
      version: string;
      files: number;
      /** @description Bytes, unpacked. */
      size: number;
      /** @description Null: there is no earlier build of its channel that it can be compared with. All its files are then added ones. */
      compared_with: {
        build_id: number;
        version: string;
        files: number;
        /** @description Bytes, unpacked. */
        size: number;
      } | null;
      added: {
        files: number;
        /** @description Bytes, unpacked. */
        size: number;
      };
      removed: {
        files: number;
        /** @description Bytes, unpacked. */
        size: number;
      };
      /** @description With their size in this build. */
      changed: {
        files: number;
        /** @description Bytes, unpacked. */
        size: number;
      };
      /** @description At most 100, those of the biggest files first. */
      changes: {
        path: string;
        /** @enum {string} */
        change: 'added' | 'removed' | 'changed';
        /** @description Bytes, unpacked. Null: removed. */
        size: number | null;
        /** @description Bytes, unpacked. Null: added. */
        size_before: number | null;
      }[];
      /** @description The biggest files of the build, at most 10. */
      biggest: {
        path: string;
        /** @description Bytes, unpacked. */
        size: number;
      }[];
    };
    BuildStats: {
      build_id: number;
      version: string;
      channel: string;
      totals: {
        checks: number;
        /** @description Devices that were offered the build, each once, within about 2%: on a day those for the first time. Devices whose client sends no ID are left out. */
        offered: number;
        downloads: number;
        download_failures: number;
        installs: number;
        install_failures: number;
        rollbacks: number;
      };
      days: {
        /** Format: date */
        day: string;
        checks: number;
        /** @description Devices that were offered the build, each once, within about 2%: on a day those for the first time. Devices whose client sends no ID are left out. */
        offered: number;
        downloads: number;
        download_failures: number;
        installs: number;
        install_failures: number;
        rollbacks: number;
      }[];
      /**
       * @description Devices that run the build now, by the last report of each within `DEVICE_STATE_DAYS` days.
       * @default 0
       */
      running: number;
      /**
       * @description Devices that are not offered the build because they reported its rollback since it was retried last.
       * @default 0
       */
      rolled_back_devices: number;
      errors: {
        /** @enum {string} */
        report: 'download' | 'install' | 'rollback';
        error: string;
        /** @description Devices. */
        count: number;
        /**
         * @description When a device first reported it. Null: unknown, as of errors that are counted together.
         * @default null
         */
        first_at: string | null;
        /**
         * @description When it was last reported by a device that had not reported it before. Null: unknown.
         * @default null
         */
        last_at: string | null;
      }[];
    };
    Explanation: {
      /** @description The channel that the device gets builds of. It may be another one than the requested. */
      channel: string;
      /**
       * @description Why it is this channel: the device has chosen it, the request names it, it is the default of the app for the platform, or none of these. An API key that belongs to one channel decides before all of these.
       * @default requested
       * @enum {string}
       */
      channel_from: 'self_assigned' | 'requested' | 'default' | 'production';
      /** @enum {string} */
      platform: 'ios' | 'android' | 'web' | 'all';
      /** @enum {string} */
      app_platform: 'ios' | 'android' | 'both';
      version: string;
      app_version: string | null;
      /** @default null */
      fingerprint: string | null;
      /** @default null */
      embedded_version: string | null;
      /**
       * @description The lowest native version that would get the device a newer build, as in the check.
       * @default null
       */
      native_update_required: {
        minimum: string;
      } | null;
      offered: {
        build_id: number;
        version: string;
        mandatory: boolean;
        mandatory_because_of: number[];
      } | null;
      /** @default null */
      recalled: {
        target: number | ('embedded' | 'none');
        roll_back_to_embedded: boolean;
      } | null;
      newer: {
        build_id: number;
        version: string;
        status: string;
        /** @enum {string} */
        state: 'processing' | 'live' | 'rolling_out' | 'stopped' | 'failed' | 'archived';
        mandatory: boolean;
        min_native_version: string | null;
        /** @default null */
        native_range: string | null;
        /** @default null */
        fingerprint: string | null;
        /**
         * @default all
         * @enum {string}
         */
        platform: 'ios' | 'android' | 'all';
        rollout_percentage: number;
        rollout_enabled: boolean;
        /**
         * @default per_build
         * @enum {string}
         */
        ring: 'per_build' | 'stable';
        bucket: number;
        /**
         * @description Whether the device is pinned to the build.
         * @default false
         */
        pinned: boolean;
        offered: boolean;
        why_not: (
          | 'status'
          | 'recalled'
          | 'recall_only'
          | 'platform'
          | 'build_platform'
          | 'native_version'
          | 'native_range'
          | 'fingerprint'
          | 'client'
          | 'embedded_version'
          | 'halted'
          | 'audience'
          | 'rollout'
          | 'rolled_back'
          | 'newer_offered'
        )[];
        /**
         * @description The rules of audiences that the device does not meet: attributes, with the value that it sends, groups of which none has it, and pinned_only, where it is not pinned. `of`: whose audience it is.
         * @default []
         */
        audience_unmet: (
          | {
              /** @enum {string} */
              of: 'channel' | 'build';
              attribute: string;
              rule:
                | {
                    equal: string;
                  }
                | {
                    in: string[];
                  }
                | {
                    range: string;
                  };
              value: string | null;
            }
          | {
              /** @enum {string} */
              of: 'channel' | 'build';
              groups: string[];
            }
          | {
              /** @enum {string} */
              of: 'channel' | 'build';
              /** @constant */
              pinned_only: true;
            }
        )[];
      }[];
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  getSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The calling owner. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              owner: {
                id: number;
                name: string;
                operator: boolean;
              };
              expires_at: string | null;
            };
          };
        };
      };
    };
  };
  beginSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          owner_key: string;
        };
      };
    };
    responses: {
      /** @description Logged in. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              owner: {
                id: number;
                name: string;
                operator: boolean;
              };
              expires_at: string | null;
            };
          };
        };
      };
    };
  };
  endSession: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Whether there was a session to end. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              ended: boolean;
            };
          };
        };
      };
    };
  };
  getOwner: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The owner. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Owner'];
          };
        };
      };
    };
  };
  rotateOwnKey: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @default false */
          revoke_tokens?: boolean;
        };
      };
    };
    responses: {
      /** @description The owner, with the new key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              operator: boolean;
              key_rotated_at: string | null;
              suspended: {
                /** Format: date-time */
                at: string;
                reason: string;
                stop_devices: boolean;
              } | null;
              /** Format: date-time */
              created_at: string;
              owner_key: string;
            };
          };
        };
      };
    };
  };
  listOwners: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Owner'][];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  createOwner: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          name: string & unknown;
        };
      };
    };
    responses: {
      /** @description The owner, with its key. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              operator: boolean;
              key_rotated_at: string | null;
              suspended: {
                /** Format: date-time */
                at: string;
                reason: string;
                stop_devices: boolean;
              } | null;
              /** Format: date-time */
              created_at: string;
              owner_key: string;
            };
          };
        };
      };
    };
  };
  rotateOwnerKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of an owner. */
        owner: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @default false */
          revoke_tokens?: boolean;
        };
      };
    };
    responses: {
      /** @description The owner, with the new key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              operator: boolean;
              key_rotated_at: string | null;
              suspended: {
                /** Format: date-time */
                at: string;
                reason: string;
                stop_devices: boolean;
              } | null;
              /** Format: date-time */
              created_at: string;
              owner_key: string;
            };
          };
        };
      };
    };
  };
  suspendOwner: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of an owner. */
        owner: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          reason: string & unknown;
          /** @default false */
          stop_devices?: boolean;
        };
      };
    };
    responses: {
      /** @description The owner. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Owner'];
          };
        };
      };
    };
  };
  resumeOwner: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of an owner. */
        owner: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The owner. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Owner'];
          };
        };
      };
    };
  };
  getSettings: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The settings in force. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              version: string;
              environment: string;
              public_url: string;
              device_url: string | null;
              plugin: {
                name: string;
                namespace: string;
              };
              limits: {
                requests_per_minute: number;
                uploads_per_hour: number;
                key_actions_per_hour: number;
                device_per_minute: number;
                address_per_minute: number;
                downloads_per_address: number;
                apps: number;
                tokens: number;
                owner_requests_per_minute: number;
                changes_per_hour: number;
                reports_per_app_per_day: number;
                reports_per_owner_per_day: number;
                storage_bytes: number;
              };
              sizes: {
                bundle_bytes: number;
                keystore_bytes: number;
              };
              api_keys: {
                recovery: boolean;
              };
              sessions: {
                idle_seconds: number;
                max_seconds: number;
              };
              jobs: {
                retry_delays_ms: number[];
                content_retry_delays_ms: number[];
              };
              downloads: {
                /** @enum {string} */
                mode: 'stream' | 'redirect';
              };
              retention: {
                object_grace_seconds: number;
                download_url_ttl_seconds: number;
                builds_per_channel: number;
                build_grace_seconds: number;
              };
              installation: {
                event_store: string;
                event_store_prefix: string;
                read_store: string;
                state_store: string;
                object_store: string;
                bus: string;
                trusted_proxies: string[];
              } | null;
            };
          };
        };
      };
    };
  };
  getStorage: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The limit, the total, and the bytes of each app that has a bundle. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              limit_bytes: number;
              used_bytes: number;
              apps: {
                id: number;
                bytes: number;
              }[];
            };
          };
        };
      };
    };
  };
  streamEvents: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description An open stream. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': unknown;
        };
      };
    };
  };
  getOverview: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['AppOverview'][];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  findBuilds: {
    parameters: {
      query: {
        page?: number;
        per_page?: number;
        version: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              app_id: string;
              name: string;
              builds: {
                id: number;
                version: string;
                channel: string;
                /** @enum {string} */
                status: 'uploading' | 'processing' | 'active' | 'archived' | 'failed' | 'paused';
              }[];
            }[];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  getOpenPlans: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The open plans. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              build_id: number;
              version: string;
              channel: string;
              /** @description Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted. */
              because: ('manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted') | null;
              /** @enum {string} */
              status: 'running' | 'held' | 'failed';
              /** @description The percentage of its step. Null: it is in none yet. */
              percentage: number | null;
              /** @description In words, why the last verdict was not `pass`. */
              reasons: string[];
            }[];
          };
        };
      };
    };
  };
  listOwnedApps: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
        removed?: 'true' | 'false' | 'all';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['OwnedApp'][];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  createApp: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          name: string & unknown;
          bundle_id?: string | null;
          platform?: ('ios' | 'android' | 'both') | null;
          description?: string | null;
        };
      };
    };
    responses: {
      /** @description The new app. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['App'];
          };
        };
      };
    };
  };
  getOwnedAppHistory: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
        build?: number;
        type?: string;
        actor?: string;
        /** @description Not later than `to`. */
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['HistoryEntry'][];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  getActivity: {
    parameters: {
      query?: {
        /** @description Only entries before those of the response that had this `older`. */
        before?: string;
        type?: string;
        actor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The entries. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              entries: {
                id: string;
                /** Format: date-time */
                at: string;
                type: string;
                actor: string;
                build_id: number | null;
                channel: string | null;
                key_id: number | null;
                before: {
                  [key: string]: unknown;
                } | null;
                after: {
                  [key: string]: unknown;
                } | null;
                actor_name: string | null;
                app: number;
                app_name: string;
              }[];
              /** @description The `before` of the entries before these; null: there are none. */
              older: string | null;
              apps_left_out: number;
            };
          };
        };
      };
    };
  };
  getApp: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The app. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['App'];
          };
        };
      };
    };
  };
  deleteApp: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The app is deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @constant */
              deleted: true;
              id: number;
            };
          };
        };
      };
    };
  };
  editApp: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          name?: string & unknown;
          /** @enum {string} */
          platform?: 'ios' | 'android' | 'both';
          description?: string | null;
          /** @enum {string} */
          signing_key_rotation?: 'any_token' | 'owner_only';
          unique_signatures?: boolean;
          keep_builds?: number | null;
          /** @description By channel, the rollout of uploads and promotions for which the CLI gets neither --rollout nor --plan: a percentage, or the name of a plan template. The console preselects it. Omitted channels keep their default. Null removes the default of a channel, or of all channels. */
          default_rollout?: {
            production?: (number | string) | null;
            staging?: (number | string) | null;
            development?: (number | string) | null;
          } | null;
          /** @description What devices may send of themselves as X-Attr-{name}, for audiences: the type of each attribute, string or version. An app may declare at most 8 attributes. Omitted ones stay; null removes one, and then no device meets a rule that names it. */
          attributes?: {
            [key: string]: ('string' | 'version') | null;
          };
          /** @description By platform of the device, the channel of devices whose update check names none; `all` is for the platforms that are left out. Omitted platforms keep their channel. Null removes that of a platform, or of all of them. */
          default_channels?: {
            ios?: string | null;
            android?: string | null;
            web?: string | null;
            all?: string | null;
          } | null;
          /** @description By alias, the channel that devices with the update client of another server get under this name, at most 100. Omitted aliases stay. Null removes an alias, or all of them. An alias must not be the name of a channel. */
          channel_aliases?: {
            [key: string]: string | null;
          } | null;
        };
      };
    };
    responses: {
      /** @description The updated app. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['App'];
          };
        };
      };
    };
  };
  listTokens: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['AccessToken'][];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  createToken: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          name: string & unknown;
          /** @default [] */
          permissions?: ('manage' | 'builds.delete' | 'apps.delete' | 'keys.delete' | 'manage_store')[];
          /** @default false */
          all_apps?: boolean;
          /**
           * @description IDs or app_ids of the owner’s apps.
           * @default []
           */
          apps?: (number | string)[];
          /** @default null */
          expires_at?: string | null;
        };
      };
    };
    responses: {
      /** @description The token, with its secret. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              permissions: ('manage' | 'builds.delete' | 'apps.delete' | 'keys.delete' | 'manage_store')[];
              all_apps: boolean;
              apps: number[];
              /** @enum {string} */
              status: 'active' | 'expired' | 'revoked';
              last_used_at: string | null;
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              token: string;
            };
          };
        };
      };
    };
  };
  getToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of an access token. */
        token: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The token, without its secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['AccessToken'];
          };
        };
      };
    };
  };
  editToken: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of an access token. */
        token: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          name?: string & unknown;
          permissions?: ('manage' | 'builds.delete' | 'apps.delete' | 'keys.delete' | 'manage_store')[];
          all_apps?: boolean;
          /** @description IDs or app_ids of the owner’s apps. */
          apps?: (number | string)[];
          expires_at?: string | null;
        } & (unknown & unknown);
      };
    };
    responses: {
      /** @description The updated token. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['AccessToken'];
          };
        };
      };
    };
  };
  rotateToken: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of an access token. */
        token: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The token, with its new secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              permissions: ('manage' | 'builds.delete' | 'apps.delete' | 'keys.delete' | 'manage_store')[];
              all_apps: boolean;
              apps: number[];
              /** @enum {string} */
              status: 'active' | 'expired' | 'revoked';
              last_used_at: string | null;
              expires_at: string | null;
              /** Format: date-time */
              created_at: string;
              token: string;
            };
          };
        };
      };
    };
  };
  revokeToken: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The id of an access token. */
        token: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The revoked token. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['AccessToken'];
          };
        };
      };
    };
  };
  getListingsModule: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The switch and the entitlement. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ListingsModule'];
          };
        };
      };
    };
  };
  setListingsModule: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          enabled?: boolean;
          entitled?: boolean;
        };
      };
    };
    responses: {
      /** @description The switch and the entitlement. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ListingsModule'];
          };
        };
      };
    };
  };
  getOAuthClient: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The client, without its secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              client_id: string | null;
              source: ('saved' | 'environment') | null;
            };
          };
        };
      };
    };
  };
  saveOAuthClient: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          client_id: string;
          client_secret: string;
        };
      };
    };
    responses: {
      /** @description The client in force. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              client_id: string | null;
              source: ('saved' | 'environment') | null;
            };
          };
        };
      };
    };
  };
  deleteOAuthClient: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The client in force: the one from the environment, or none. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              client_id: string | null;
              source: ('saved' | 'environment') | null;
            };
          };
        };
      };
    };
  };
  getWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook, without its secret. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              url: string | null;
              waiting: number;
              dead: number;
            };
          };
        };
      };
    };
  };
  saveWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /**
           * Format: uri
           * @description An https address without user name and password that is not private; on this machine also an http address.
           */
          url: string & unknown;
          secret?: string | null;
        };
      };
    };
    responses: {
      /** @description The webhook is set. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              url: string;
              secret?: string;
            };
          };
        };
      };
    };
  };
  deleteWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Whether there was a webhook. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              deleted: boolean;
            };
          };
        };
      };
    };
  };
  listDeadLetters: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: string;
              hook: string;
              /** Format: date-time */
              occurred_at: string;
              attempts: number;
              /** Format: date-time */
              failed_at: string;
              last_error: string;
              payload: {
                id: string;
                hook: string;
                /** Format: date-time */
                occurred_at: string;
                store_id: string;
                data: {
                  [key: string]: unknown;
                };
                before?: {
                  [key: string]: unknown;
                };
              };
            }[];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  clearDeadLetters: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How many were deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              deleted: number;
            };
          };
        };
      };
    };
  };
  resendDeadLetters: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          ids?: string[];
        };
      };
    };
    responses: {
      /** @description How many deliveries are retried. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              resent: number;
            };
          };
        };
      };
    };
  };
  resealSecrets: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          after?: string;
        };
      };
    };
    responses: {
      /** @description What was done, and where the next batch begins. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              resealed: number;
              failed: string[];
              remaining: number | null;
              next: string | null;
            };
          };
        };
      };
    };
  };
  listDataKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Each data key, its versions newest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              keys: {
                /** @enum {string} */
                name: 'download-url' | 'sessions' | 'device-id' | 'oauth-verifiers';
                versions: {
                  version: number;
                  made_at: string | null;
                }[];
                former_kept_seconds: number;
                consequence: string;
              }[];
              /** @description What a rotation of `device-id` ends when its former version is deleted: how many pins and chosen channels of devices that expire later, and how many device groups, whose files have to be uploaded again before. Null: device-updates is unavailable. */
              ended_by_rotation: {
                pins: number;
                /** @default 0 */
                groups: number;
                /** @default 0 */
                chosen_channels: number;
              } | null;
            };
          };
        };
      };
    };
  };
  rotateDataKeys: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          names?: ('download-url' | 'sessions' | 'device-id' | 'oauth-verifiers')[];
          /** @default false */
          end_sessions?: boolean;
        };
      };
    };
    responses: {
      /** @description The data keys that were rotated. With `end_sessions`, also the number of ended sessions. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              keys: {
                /** @enum {string} */
                name: 'download-url' | 'sessions' | 'device-id' | 'oauth-verifiers';
                versions: {
                  version: number;
                  made_at: string | null;
                }[];
                former_kept_seconds: number;
                consequence: string;
              }[];
              ended_sessions: number;
            };
          };
        };
      };
    };
  };
  getDiagnostics: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The diagnostics; null for a service that does not respond. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              services: {
                service: string;
                facts: {
                  service: string;
                  version: string;
                  node: string;
                  /** Format: date-time */
                  time: string;
                  uptime_seconds: number;
                  public_url: string;
                  trusted_proxies: boolean;
                  engines: {
                    /** @enum {string} */
                    name: 'event store' | 'read store' | 'state store' | 'object store' | 'bus';
                    kind: string;
                    fault: string | null;
                    /** @default null */
                    product: string | null;
                    undeclared_indexes?: string[];
                  }[];
                  projections: {
                    name: string;
                    service: string;
                    version: number;
                    position: string;
                    caught_up: boolean;
                    stopped: string | null;
                    task: {
                      /** @enum {string} */
                      kind: 'rebuild' | 'verify';
                      /** @enum {string} */
                      status: 'running' | 'completed' | 'failed' | 'interrupted';
                      /** Format: date-time */
                      started_at: string;
                      finished_at: string | null;
                      position: string;
                      error: string | null;
                      verification: {
                        position: string;
                        rows: number;
                        different: number;
                        differences: {
                          collection: string;
                          id: string;
                          /** @enum {string} */
                          kind: 'missing' | 'surplus' | 'different';
                          members: string[];
                        }[];
                      } | null;
                    } | null;
                  }[];
                  master_key: {
                    previous_set: boolean;
                    sealed_otherwise: number | null;
                  };
                  disk: {
                    free: number;
                    total: number;
                  } | null;
                  data_dir_mode?: string | null;
                  downloads?: {
                    /** @enum {string} */
                    mode: 'stream' | 'redirect';
                    store_address: string | null;
                  };
                  signed_statements?: {
                    missing: number;
                    earliest_expiry: string | null;
                    overdue: boolean;
                  };
                  traffic: {
                    requests: number;
                    busiest_address: string | null;
                    busiest_share: number;
                    forwarded_share: number;
                  } | null;
                } | null;
              }[];
            };
          };
        };
      };
    };
  };
  listProjections: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Every read model. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              name: string;
              service: string;
              version: number;
              position: string;
              caught_up: boolean;
              stopped: string | null;
              task: {
                /** @enum {string} */
                kind: 'rebuild' | 'verify';
                /** @enum {string} */
                status: 'running' | 'completed' | 'failed' | 'interrupted';
                /** Format: date-time */
                started_at: string;
                finished_at: string | null;
                position: string;
                error: string | null;
                verification: {
                  position: string;
                  rows: number;
                  different: number;
                  differences: {
                    collection: string;
                    id: string;
                    /** @enum {string} */
                    kind: 'missing' | 'surplus' | 'different';
                    members: string[];
                  }[];
                } | null;
              } | null;
            }[];
          };
        };
      };
    };
  };
  getProjection: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of a read model. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The read model. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Projection'];
          };
        };
      };
    };
  };
  rebuildProjection: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of a read model. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The read model, with its task in progress. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Projection'];
          };
        };
      };
    };
  };
  verifyProjection: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The name of a read model. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The read model, with its task in progress. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Projection'];
          };
        };
      };
    };
  };
  getUpgrade: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The format of the installation. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              format: number;
              known_format: number;
              finished: boolean;
              blocked_by: {
                service: string;
                name: string | null;
                release: string | null;
                format: number | null;
              }[];
            };
          };
        };
      };
    };
  };
  finishUpgrade: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The format of the installation. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              format: number;
            };
          };
        };
      };
    };
  };
  listChannels: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
        /** @description true: only channels that expire, such as previews. false: only those that stay. */
        expires?: 'true' | 'false';
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              name: string;
              /** @description Of a standard channel its name. A channel that is added under a name that was used before has another id. */
              id: string;
              /** @description Whether every app has it, so that it can not be changed or deleted. */
              standard: boolean;
              /** @description Null for a standard channel. */
              created_at: string | null;
              /** @description When it is deleted, with its builds. Null: it stays until a request deletes it. */
              expires_at: string | null;
              /**
               * @description The devices that are offered its builds. Null: all devices.
               * @default null
               */
              audience: {
                /**
                 * @description Only the pinned devices are in the audience. It then has no other rule.
                 * @constant
                 */
                pinned_only?: true;
                /** @description Names of device groups of the app, one of which has to have the device. */
                groups?: string[];
                /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
                attributes?: {
                  [key: string]:
                    | {
                        equal: string;
                      }
                    | {
                        in: string[];
                      }
                    | {
                        range: string;
                      };
                };
              } | null;
              /**
               * @description Whether devices may choose it themselves.
               * @default false
               */
              self_assign: boolean;
              /**
               * @description Rises with every change of this channel. If-Match takes it, as in the ETag.
               * @default 1
               */
              revision: number;
            }[];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  addChannel: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          name: string;
          /** @description When the channel is deleted, with its builds: a time in the future. Null: never. */
          expires_at?: string | null;
          /** @description The devices that are offered the builds of the channel. A build that has an audience of its own is offered to devices that are in both. null: all devices. The audience must have at least one rule. */
          audience?: {
            /**
             * @description Only the pinned devices are in the audience. It then has no other rule.
             * @constant
             */
            pinned_only?: true;
            /** @description Names of device groups of the app, one of which has to have the device. */
            groups?: string[];
            /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
            attributes?: {
              [key: string]:
                | {
                    equal: string;
                  }
                | {
                    in: string[];
                  }
                | {
                    range: string;
                  };
            };
          } | null;
          /** @description Whether devices may choose the channel themselves (POST /api/v1/channel of the device API). */
          self_assign?: boolean | null;
        };
      };
    };
    responses: {
      /** @description The new channel. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              name: string;
              /** @description Of a standard channel its name. A channel that is added under a name that was used before has another id. */
              id: string;
              /** @description Whether every app has it, so that it can not be changed or deleted. */
              standard: boolean;
              /** @description Null for a standard channel. */
              created_at: string | null;
              /** @description When it is deleted, with its builds. Null: it stays until a request deletes it. */
              expires_at: string | null;
              /**
               * @description The devices that are offered its builds. Null: all devices.
               * @default null
               */
              audience: {
                /**
                 * @description Only the pinned devices are in the audience. It then has no other rule.
                 * @constant
                 */
                pinned_only?: true;
                /** @description Names of device groups of the app, one of which has to have the device. */
                groups?: string[];
                /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
                attributes?: {
                  [key: string]:
                    | {
                        equal: string;
                      }
                    | {
                        in: string[];
                      }
                    | {
                        range: string;
                      };
                };
              } | null;
              /**
               * @description Whether devices may choose it themselves.
               * @default false
               */
              self_assign: boolean;
              /**
               * @description Rises with every change of this channel. If-Match takes it, as in the ETag.
               * @default 1
               */
              revision: number;
            };
          };
        };
      };
    };
  };
  getChannel: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The channel. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              name: string;
              /** @description Of a standard channel its name. A channel that is added under a name that was used before has another id. */
              id: string;
              /** @description Whether every app has it, so that it can not be changed or deleted. */
              standard: boolean;
              /** @description Null for a standard channel. */
              created_at: string | null;
              /** @description When it is deleted, with its builds. Null: it stays until a request deletes it. */
              expires_at: string | null;
              /**
               * @description The devices that are offered its builds. Null: all devices.
               * @default null
               */
              audience: {
                /**
                 * @description Only the pinned devices are in the audience. It then has no other rule.
                 * @constant
                 */
                pinned_only?: true;
                /** @description Names of device groups of the app, one of which has to have the device. */
                groups?: string[];
                /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
                attributes?: {
                  [key: string]:
                    | {
                        equal: string;
                      }
                    | {
                        in: string[];
                      }
                    | {
                        range: string;
                      };
                };
              } | null;
              /**
               * @description Whether devices may choose it themselves.
               * @default false
               */
              self_assign: boolean;
              /**
               * @description Rises with every change of this channel. If-Match takes it, as in the ETag.
               * @default 1
               */
              revision: number;
            };
          };
        };
      };
    };
  };
  removeChannel: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @constant */
              deleted: true;
              name: string;
            };
          };
        };
      };
    };
  };
  editChannel: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @description When the channel is deleted, with its builds: a time in the future. Null: never. */
          expires_at?: string | null;
          /** @description The devices that are offered the builds of the channel. A build that has an audience of its own is offered to devices that are in both. null: all devices. The audience must have at least one rule. */
          audience?: {
            /**
             * @description Only the pinned devices are in the audience. It then has no other rule.
             * @constant
             */
            pinned_only?: true;
            /** @description Names of device groups of the app, one of which has to have the device. */
            groups?: string[];
            /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
            attributes?: {
              [key: string]:
                | {
                    equal: string;
                  }
                | {
                    in: string[];
                  }
                | {
                    range: string;
                  };
            };
          } | null;
          /** @description Whether devices may choose the channel themselves. False: those that have chosen it leave it. */
          self_assign?: boolean;
        };
      };
    };
    responses: {
      /** @description The updated channel. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              name: string;
              /** @description Of a standard channel its name. A channel that is added under a name that was used before has another id. */
              id: string;
              /** @description Whether every app has it, so that it can not be changed or deleted. */
              standard: boolean;
              /** @description Null for a standard channel. */
              created_at: string | null;
              /** @description When it is deleted, with its builds. Null: it stays until a request deletes it. */
              expires_at: string | null;
              /**
               * @description The devices that are offered its builds. Null: all devices.
               * @default null
               */
              audience: {
                /**
                 * @description Only the pinned devices are in the audience. It then has no other rule.
                 * @constant
                 */
                pinned_only?: true;
                /** @description Names of device groups of the app, one of which has to have the device. */
                groups?: string[];
                /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
                attributes?: {
                  [key: string]:
                    | {
                        equal: string;
                      }
                    | {
                        in: string[];
                      }
                    | {
                        range: string;
                      };
                };
              } | null;
              /**
               * @description Whether devices may choose it themselves.
               * @default false
               */
              self_assign: boolean;
              /**
               * @description Rises with every change of this channel. If-Match takes it, as in the ETag.
               * @default 1
               */
              revision: number;
            };
          };
        };
      };
    };
  };
  listChannelKeys: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              key_preview: string;
              /** @enum {string} */
              status: 'active' | 'deprecated' | 'revoked';
              recoverable: boolean;
              restrictions: {
                origins?: string[];
                android?: {
                  package_name: string;
                  sha256?: string[];
                  sha1?: string[];
                }[];
                ios?: {
                  bundle_id: string;
                  team_id?: string;
                }[];
                channels?: string[];
              };
              unrestricted: boolean;
              blocked_count: number;
              last_blocked_at: string | null;
              last_blocked_reason: string | null;
              last_used_at: string | null;
              /**
               * @description The last update check with the key. Null: none, or only before the server recorded them.
               * @default null
               */
              last_check: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                platform: 'ios' | 'android' | 'web' | 'all';
                /** @description The version that the device was offered. Null: no update. */
                version: string | null;
              } | null;
              rotated_at: string | null;
              /**
               * @description Rises with every change of this key. If-Match takes it, as in the ETag.
               * @default 1
               */
              revision: number;
              /** Format: date-time */
              created_at: string;
              /**
               * @description The platform of the devices that use the key, for clients that do not send theirs. Null: unknown.
               * @default null
               */
              platform: ('ios' | 'android') | null;
            }[];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  createChannelKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          name: string & unknown;
          /** @description The text of the key, to import one that clients have already, such as a deployment key of CodePush: 10 to 100 characters out of A-Z, a-z, 0-9, - and _. It must not begin with svc_. Left out, the server makes one. */
          key?: string | null;
          /** @description The platform of the devices that use the key, for clients that do not send theirs. */
          platform?: ('ios' | 'android') | null;
        };
      };
    };
    responses: {
      /** @description The key, with its plaintext. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              /** @enum {string} */
              status: 'active' | 'deprecated' | 'revoked';
              plaintext_key: string;
            };
          };
        };
      };
    };
  };
  restrictChannelKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          origins?: (string & unknown)[];
          android?: {
            package_name: string;
            sha256?: string[];
            sha1?: string[];
          }[];
          ios?: {
            bundle_id: string;
            team_id?: string;
          }[];
          /** @description Checks and reports with the key are accepted for these channels of the app only. Omitted or empty: for all. */
          channels?: string[];
        };
      };
    };
    responses: {
      /** @description The updated key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              key_preview: string;
              /** @enum {string} */
              status: 'active' | 'deprecated' | 'revoked';
              recoverable: boolean;
              restrictions: {
                origins?: string[];
                android?: {
                  package_name: string;
                  sha256?: string[];
                  sha1?: string[];
                }[];
                ios?: {
                  bundle_id: string;
                  team_id?: string;
                }[];
                channels?: string[];
              };
              unrestricted: boolean;
              blocked_count: number;
              last_blocked_at: string | null;
              last_blocked_reason: string | null;
              last_used_at: string | null;
              /**
               * @description The last update check with the key. Null: none, or only before the server recorded them.
               * @default null
               */
              last_check: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                platform: 'ios' | 'android' | 'web' | 'all';
                /** @description The version that the device was offered. Null: no update. */
                version: string | null;
              } | null;
              rotated_at: string | null;
              /**
               * @description Rises with every change of this key. If-Match takes it, as in the ETag.
               * @default 1
               */
              revision: number;
              /** Format: date-time */
              created_at: string;
              /**
               * @description The platform of the devices that use the key, for clients that do not send theirs. Null: unknown.
               * @default null
               */
              platform: ('ios' | 'android') | null;
            };
          };
        };
      };
    };
  };
  revealChannelKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plaintext. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              plaintext_key: string;
            };
          };
        };
      };
    };
  };
  deleteChannelKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @constant */
              deleted: true;
              id: number;
            };
          };
        };
      };
    };
  };
  listBuilds: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
        /** @description The channel must be production, staging or development, or another channel of the app: GET /apps/{app}/channels lists them. */
        channel?: string;
        status?: 'uploading' | 'processing' | 'active' | 'archived' | 'failed' | 'paused';
        /** @description Not in the future. */
        as_of?: string;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Build'][];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  uploadBuild: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': {
          /** @description The file, as binary. */
          file: unknown;
          version: string;
          /** @description The channel must be production, staging or development, or another channel of the app: GET /apps/{app}/channels lists them. */
          channel: string;
          release_notes?: string;
          /** @description No number in it is above 9007199254740991. */
          min_native_version?: (string & unknown) | '';
          /** @description A semver range, for example `>=2.1.0 <3.0.0`, that includes at least one version. Only devices whose native version is in it get the build, and those that send none. Not together with min_native_version, whose value 2.1.0 is the short form of `>=2.1.0`. */
          native_range?: string | '';
          /** @description Only devices that send exactly this text in X-Native-Fingerprint get the build. */
          fingerprint?: string | '';
          /**
           * @description Only devices of this platform get the build. A version is unique in its channel for each platform; a build for all platforms shares its version with no other.
           * @default all
           * @enum {string}
           */
          platform?: 'ios' | 'android' | 'all';
          /** @description 100 by default, if there is no plan. */
          rollout_percentage?: number;
          /**
           * @description Which devices the percentage selects: per_build (default), or stable, the same ones first each time.
           * @enum {string}
           */
          ring?: 'per_build' | 'stable';
          /** @description The rollout plan of the build: the name of a plan template, or as JSON what sets a plan. Not together with rollout_percentage. */
          plan?:
            | string
            | {
                /** @description The plan template whose settings the plan copies. */
                template: string;
                /**
                 * @description The plan does not enter its first step before this time. Null: it may immediately.
                 * @default null
                 */
                start_at?: string | null;
              }
            | {
                /** @description The percentages must rise from step to step. */
                steps: {
                  percentage: number;
                  /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                  hold_minutes: number;
                  /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                  min_devices: number;
                }[];
                /** @default {} */
                gates?: {
                  /**
                   * @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90.
                   * @default {}
                   */
                  failures?: {
                    /** @default 2 */
                    threshold_percent?: number;
                  };
                  /**
                   * @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold.
                   * @default {}
                   */
                  silence?: {
                    /** @default 1440 */
                    after_minutes?: number;
                    /** @default 50 */
                    threshold_percent?: number;
                  };
                  /**
                   * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                   * @default null
                   */
                  webhook?: {
                    /**
                     * Format: uri
                     * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                     */
                    url: string & unknown;
                  } | null;
                };
                /**
                 * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
                 * @default []
                 */
                windows?: {
                  days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                  from: string;
                  /** @description Later than `from`. 24:00 is the end of the day. */
                  to: string;
                }[];
                /**
                 * @description The time zone of the windows: a name of the IANA time zone database.
                 * @default UTC
                 */
                time_zone?: string;
                /**
                 * @description The plan does not enter its first step before this time. Null: it may immediately.
                 * @default null
                 */
                start_at?: string | null;
                /**
                 * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
                 * @default hold
                 * @enum {string}
                 */
                on_fail?: 'hold' | 'halt' | 'recall';
              };
          /**
           * @description `1` and `0` are also accepted.
           * @default false
           */
          mandatory?: boolean;
          /**
           * @description As JSON: the devices that are offered the build. By default all devices. The audience must have at least one rule.
           * @example {
           *       "groups": [
           *         "beta"
           *       ],
           *       "attributes": {
           *         "plan": {
           *           "equal": "pro"
           *         },
           *         "os": {
           *           "range": ">=17"
           *         }
           *       }
           *     }
           */
          audience?: {
            /**
             * @description Only the pinned devices are in the audience. It then has no other rule.
             * @constant
             */
            pinned_only?: true;
            /** @description Names of device groups of the app, one of which has to have the device. */
            groups?: string[];
            /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
            attributes?: {
              [key: string]:
                | {
                    equal: string;
                  }
                | {
                    in: string[];
                  }
                | {
                    range: string;
                  };
            };
          };
          /** @description As JSON, for a bundle that was encrypted before the upload: what clients need to decrypt it. The file is then no zip, and its content is not checked. Only clients of Capgo are offered the build. */
          delivery?: {
            capgo: {
              /** @description Base64 of the IV, a colon, and Base64 of the AES key, which is encrypted with the private key. */
              session_key: string;
              /** @description SHA-256 of the zip before its encryption, encrypted with the private key: 256 bytes in hex or Base64. */
              checksum: string;
              /** @description The first 20 characters of the public key in Base64. Devices that send another one are not offered the build. */
              key_id?: string;
            };
          };
          /** @description Base64 of a detached RSA-SHA256 signature of the bundle, which the server stores and does not verify. If the app sets unique_signatures, no other version may have the same signature. */
          signature?: string;
          /**
           * @description As JSON: where the build comes from, such as its commit, its branch and the link to the run of the CI. At most 20 pairs of text, which builds return until they are deleted.
           * @example {
           *       "commit": "4f2a9c1",
           *       "branch": "main",
           *       "run_url": "https://ci.example.com/runs/7"
           *     }
           */
          metadata?: {
            [key: string]: string;
          };
        };
      };
    };
    responses: {
      /** @description Stored; its job is queued. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              job_id: string;
              build: {
                id: number;
                version: string;
                channel: string;
                /** @enum {string} */
                status: 'uploading' | 'processing' | 'active' | 'archived' | 'failed' | 'paused';
              };
              /** Format: uri */
              status_url: string;
            };
          };
        };
      };
    };
  };
  previewRetention: {
    parameters: {
      query?: {
        /** @description How many builds of each channel are kept; 0: all of them. */
        keep_builds?: number;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The builds, and the bytes that their deletion would free. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              keep_builds: number;
              total: number;
              freed_bytes: number;
              builds: {
                id: number;
                version: string;
                channel: string;
                /**
                 * @description From status and rollout together. live: every device that it suits gets it; rolling_out: rollout_percentage of them; stopped: no further device, because it is paused, halted or at 0%.
                 * @enum {string}
                 */
                state: 'processing' | 'live' | 'rolling_out' | 'stopped' | 'failed' | 'archived';
                file_size: number | null;
                /** Format: date-time */
                created_at: string;
              }[];
            };
          };
        };
      };
    };
  };
  getBuild: {
    parameters: {
      query?: {
        /** @description Not in the future. */
        as_of?: string;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The build. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Build'];
          };
        };
      };
    };
  };
  deleteBuild: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The build is deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @constant */
              deleted: true;
              id: number;
            };
          };
        };
      };
    };
  };
  editBuild: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @enum {string} */
          status?: 'active' | 'paused' | 'archived';
          release_notes?: string | null;
          min_native_version?: (string & unknown) | null;
          native_range?: string | null;
          fingerprint?: string | null;
          mandatory?: boolean;
          /** @description The devices that are offered the build; its rollout is a percentage of them. null: all devices. The audience must have at least one rule. */
          audience?: {
            /**
             * @description Only the pinned devices are in the audience. It then has no other rule.
             * @constant
             */
            pinned_only?: true;
            /** @description Names of device groups of the app, one of which has to have the device. */
            groups?: string[];
            /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
            attributes?: {
              [key: string]:
                | {
                    equal: string;
                  }
                | {
                    in: string[];
                  }
                | {
                    range: string;
                  };
            };
          } | null;
        };
      };
    };
    responses: {
      /** @description The updated build. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Build'];
          };
        };
      };
    };
  };
  promoteBuild: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The target_channel must be production, staging or development, or another channel of the app: GET /apps/{app}/channels lists them. */
          target_channel: string;
          rollout_percentage?: number | null;
          mandatory?: boolean | null;
          /** @description Default: that of the build. */
          ring?: ('per_build' | 'stable') | null;
          /** @description The devices that are offered the new build. By default all devices. The audience must have at least one rule. */
          audience?: {
            /**
             * @description Only the pinned devices are in the audience. It then has no other rule.
             * @constant
             */
            pinned_only?: true;
            /** @description Names of device groups of the app, one of which has to have the device. */
            groups?: string[];
            /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
            attributes?: {
              [key: string]:
                | {
                    equal: string;
                  }
                | {
                    in: string[];
                  }
                | {
                    range: string;
                  };
            };
          } | null;
          /** @description The rollout plan of the new build: the name of a plan template, or what sets a plan. Not together with rollout_percentage. */
          plan?:
            | (
                | string
                | {
                    /** @description The plan template whose settings the plan copies. */
                    template: string;
                    /**
                     * @description The plan does not enter its first step before this time. Null: it may immediately.
                     * @default null
                     */
                    start_at?: string | null;
                  }
                | {
                    /** @description The percentages must rise from step to step. */
                    steps: {
                      percentage: number;
                      /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                      hold_minutes: number;
                      /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                      min_devices: number;
                    }[];
                    /** @default {} */
                    gates?: {
                      /**
                       * @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90.
                       * @default {}
                       */
                      failures?: {
                        /** @default 2 */
                        threshold_percent?: number;
                      };
                      /**
                       * @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold.
                       * @default {}
                       */
                      silence?: {
                        /** @default 1440 */
                        after_minutes?: number;
                        /** @default 50 */
                        threshold_percent?: number;
                      };
                      /**
                       * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                       * @default null
                       */
                      webhook?: {
                        /**
                         * Format: uri
                         * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                         */
                        url: string & unknown;
                      } | null;
                    };
                    /**
                     * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
                     * @default []
                     */
                    windows?: {
                      days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                      from: string;
                      /** @description Later than `from`. 24:00 is the end of the day. */
                      to: string;
                    }[];
                    /**
                     * @description The time zone of the windows: a name of the IANA time zone database.
                     * @default UTC
                     */
                    time_zone?: string;
                    /**
                     * @description The plan does not enter its first step before this time. Null: it may immediately.
                     * @default null
                     */
                    start_at?: string | null;
                    /**
                     * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
                     * @default hold
                     * @enum {string}
                     */
                    on_fail?: 'hold' | 'halt' | 'recall';
                  }
              )
            | null;
        };
      };
    };
    responses: {
      /** @description The new build. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Build'];
          };
        };
      };
    };
  };
  changeRollout: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          rollout_percentage?: number;
          enabled?: boolean;
          /**
           * @description A change can take the build from devices that it was offered to.
           * @enum {string}
           */
          ring?: 'per_build' | 'stable';
        };
      };
    };
    responses: {
      /** @description The updated build. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Build'];
          };
        };
      };
    };
  };
  getRecall: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The recall, with the devices that it concerns. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              build: {
                id: number;
                channel: string;
                version: string;
              };
              /** @description Null: the build is not recalled, and the rest is what a recall would do. */
              recalled_at: string | null;
              reason: string | null;
              /** @description Where devices of the version go, also where the target was recalled in turn. Null: no build below it can run on every device that can run it, so that a recall has to name a target. */
              target: (number | ('embedded' | 'none')) | null;
              target_version: string | null;
              /** @description The build that devices of the version get. Its ID is null before the recall. */
              replacement: {
                id: number | null;
                version: string;
              } | null;
              /** @description Builds with the same bundle in other channels that are not recalled. */
              also_in: {
                id: number;
                channel: string;
                version: string;
              }[];
              /** @description Builds with the same bundle in other channels that are recalled. */
              also_recalled: {
                id: number;
                channel: string;
                version: string;
              }[];
              /** @description How many devices last reported the version, and how many the one that replaces it. */
              devices: {
                on_recalled: number;
                on_replacement: number;
              };
            };
          };
        };
      };
    };
  };
  recallBuild: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          reason: string & unknown;
          /** @description Another build of the channel, which devices get; "embedded": the bundle inside their native app; "none": nothing. Default: the newest build of the channel below this one that was ever active, is not recalled, and can run on every device that can run this one. */
          to?: number | ('embedded' | 'none');
          /** @description The version under which that build is republished, because devices install higher versions only. It must be above every version of the channel. Default: the next patch. Leave it out where no build is republished: with "embedded" or "none". */
          version?: string;
          /** @description Also recall builds with the same bundle in the other channels. */
          everywhere?: boolean | null;
        };
      };
    };
    responses: {
      /** @description The recalled build, and what replaces it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              build: {
                id: number;
                version: string;
                channel: string;
                /** @enum {string} */
                status: 'uploading' | 'processing' | 'active' | 'archived' | 'failed' | 'paused';
                /**
                 * @description From status and rollout together. live: every device that it suits gets it; rolling_out: rollout_percentage of them; stopped: no further device, because it is paused, halted or at 0%.
                 * @enum {string}
                 */
                state: 'processing' | 'live' | 'rolling_out' | 'stopped' | 'failed' | 'archived';
                checksum: string | null;
                checksum_algorithm: 'SHA-256' | null;
                signature: string | null;
                file_size: number | null;
                release_notes: string | null;
                min_native_version: string | null;
                /**
                 * @description A semver range: only devices whose native version is in it get the build, and those that send none.
                 * @default null
                 */
                native_range: string | null;
                /**
                 * @description Only devices that send exactly this text in X-Native-Fingerprint get the build.
                 * @default null
                 */
                fingerprint: string | null;
                /**
                 * @description ios, android: only devices of that platform get the build. all: every device that the app is for.
                 * @default all
                 * @enum {string}
                 */
                platform: 'ios' | 'android' | 'all';
                /**
                 * @description Of a bundle that was encrypted before its upload: what clients need to decrypt it. Only clients of that update service are offered the build. Null: the bundle is a zip.
                 * @default null
                 */
                delivery: {
                  capgo: {
                    /** @description Base64 of the IV, a colon, and Base64 of the AES key, which is encrypted with the private key. */
                    session_key: string;
                    /** @description SHA-256 of the zip before its encryption, encrypted with the private key: 256 bytes in hex or Base64. */
                    checksum: string;
                    /** @description The first 20 characters of the public key in Base64. Devices that send another one are not offered the build. */
                    key_id?: string;
                  };
                } | null;
                rollout_percentage: number | null;
                rollout_enabled: boolean;
                /**
                 * @description Which devices the percentage selects: per_build, for each build other ones; stable, the same ones first for all builds of the app with a stable ring.
                 * @default per_build
                 * @enum {string}
                 */
                ring: 'per_build' | 'stable';
                mandatory: boolean;
                /**
                 * @description The devices that are offered the build; its rollout is a percentage of them. Null: all devices.
                 * @default null
                 */
                audience: {
                  /**
                   * @description Only the pinned devices are in the audience. It then has no other rule.
                   * @constant
                   */
                  pinned_only?: true;
                  /** @description Names of device groups of the app, one of which has to have the device. */
                  groups?: string[];
                  /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
                  attributes?: {
                    [key: string]:
                      | {
                          equal: string;
                        }
                      | {
                          in: string[];
                        }
                      | {
                          range: string;
                        };
                  };
                } | null;
                promoted_from_id: number | null;
                /**
                 * @description Set while the build is recalled. Its status is paused then.
                 * @default null
                 */
                recalled_at: string | null;
                /** @default null */
                recall_reason: string | null;
                /**
                 * @description What devices that run a recalled build get: the ID of a build, embedded (the bundle inside their native app), or none.
                 * @default null
                 */
                recall_target: (number | ('embedded' | 'none')) | null;
                /**
                 * @description The recalled build whose devices get this build. Other devices never get it.
                 * @default null
                 */
                recall_of: number | null;
                /**
                 * @description The build that this one republishes under a higher version, for a recall.
                 * @default null
                 */
                republished_from_id: number | null;
                job_id: string | null;
                /**
                 * @description What the upload stated about the origin of the build, such as its commit. Empty: nothing. A promoted build has that of its source.
                 * @default {}
                 */
                metadata: {
                  [key: string]: string;
                };
                /** @description Rises with every change of this build. If-Match takes it, as in the ETag. */
                revision: number;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
              };
              republished: {
                id: number;
                version: string;
                channel: string;
                /** @enum {string} */
                status: 'uploading' | 'processing' | 'active' | 'archived' | 'failed' | 'paused';
                /**
                 * @description From status and rollout together. live: every device that it suits gets it; rolling_out: rollout_percentage of them; stopped: no further device, because it is paused, halted or at 0%.
                 * @enum {string}
                 */
                state: 'processing' | 'live' | 'rolling_out' | 'stopped' | 'failed' | 'archived';
                checksum: string | null;
                checksum_algorithm: 'SHA-256' | null;
                signature: string | null;
                file_size: number | null;
                release_notes: string | null;
                min_native_version: string | null;
                /**
                 * @description A semver range: only devices whose native version is in it get the build, and those that send none.
                 * @default null
                 */
                native_range: string | null;
                /**
                 * @description Only devices that send exactly this text in X-Native-Fingerprint get the build.
                 * @default null
                 */
                fingerprint: string | null;
                /**
                 * @description ios, android: only devices of that platform get the build. all: every device that the app is for.
                 * @default all
                 * @enum {string}
                 */
                platform: 'ios' | 'android' | 'all';
                /**
                 * @description Of a bundle that was encrypted before its upload: what clients need to decrypt it. Only clients of that update service are offered the build. Null: the bundle is a zip.
                 * @default null
                 */
                delivery: {
                  capgo: {
                    /** @description Base64 of the IV, a colon, and Base64 of the AES key, which is encrypted with the private key. */
                    session_key: string;
                    /** @description SHA-256 of the zip before its encryption, encrypted with the private key: 256 bytes in hex or Base64. */
                    checksum: string;
                    /** @description The first 20 characters of the public key in Base64. Devices that send another one are not offered the build. */
                    key_id?: string;
                  };
                } | null;
                rollout_percentage: number | null;
                rollout_enabled: boolean;
                /**
                 * @description Which devices the percentage selects: per_build, for each build other ones; stable, the same ones first for all builds of the app with a stable ring.
                 * @default per_build
                 * @enum {string}
                 */
                ring: 'per_build' | 'stable';
                mandatory: boolean;
                /**
                 * @description The devices that are offered the build; its rollout is a percentage of them. Null: all devices.
                 * @default null
                 */
                audience: {
                  /**
                   * @description Only the pinned devices are in the audience. It then has no other rule.
                   * @constant
                   */
                  pinned_only?: true;
                  /** @description Names of device groups of the app, one of which has to have the device. */
                  groups?: string[];
                  /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
                  attributes?: {
                    [key: string]:
                      | {
                          equal: string;
                        }
                      | {
                          in: string[];
                        }
                      | {
                          range: string;
                        };
                  };
                } | null;
                promoted_from_id: number | null;
                /**
                 * @description Set while the build is recalled. Its status is paused then.
                 * @default null
                 */
                recalled_at: string | null;
                /** @default null */
                recall_reason: string | null;
                /**
                 * @description What devices that run a recalled build get: the ID of a build, embedded (the bundle inside their native app), or none.
                 * @default null
                 */
                recall_target: (number | ('embedded' | 'none')) | null;
                /**
                 * @description The recalled build whose devices get this build. Other devices never get it.
                 * @default null
                 */
                recall_of: number | null;
                /**
                 * @description The build that this one republishes under a higher version, for a recall.
                 * @default null
                 */
                republished_from_id: number | null;
                job_id: string | null;
                /**
                 * @description What the upload stated about the origin of the build, such as its commit. Empty: nothing. A promoted build has that of its source.
                 * @default {}
                 */
                metadata: {
                  [key: string]: string;
                };
                /** @description Rises with every change of this build. If-Match takes it, as in the ETag. */
                revision: number;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
              } | null;
              /** @description Builds with the same bundle in other channels that are not recalled. */
              also_in: {
                id: number;
                channel: string;
                version: string;
              }[];
              /** @description Builds with the same bundle in other channels that are recalled. */
              also_recalled: {
                id: number;
                channel: string;
                version: string;
              }[];
              /** @description Until when the object store still serves download URLs that it was asked for before. Null: the server serves all downloads, and rejects those of the build from now on. */
              presigned_until: string | null;
            };
          };
        };
      };
    };
  };
  unrecallBuild: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The recall is over. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              build: {
                id: number;
                version: string;
                channel: string;
                /** @enum {string} */
                status: 'uploading' | 'processing' | 'active' | 'archived' | 'failed' | 'paused';
                /**
                 * @description From status and rollout together. live: every device that it suits gets it; rolling_out: rollout_percentage of them; stopped: no further device, because it is paused, halted or at 0%.
                 * @enum {string}
                 */
                state: 'processing' | 'live' | 'rolling_out' | 'stopped' | 'failed' | 'archived';
                checksum: string | null;
                checksum_algorithm: 'SHA-256' | null;
                signature: string | null;
                file_size: number | null;
                release_notes: string | null;
                min_native_version: string | null;
                /**
                 * @description A semver range: only devices whose native version is in it get the build, and those that send none.
                 * @default null
                 */
                native_range: string | null;
                /**
                 * @description Only devices that send exactly this text in X-Native-Fingerprint get the build.
                 * @default null
                 */
                fingerprint: string | null;
                /**
                 * @description ios, android: only devices of that platform get the build. all: every device that the app is for.
                 * @default all
                 * @enum {string}
                 */
                platform: 'ios' | 'android' | 'all';
                /**
                 * @description Of a bundle that was encrypted before its upload: what clients need to decrypt it. Only clients of that update service are offered the build. Null: the bundle is a zip.
                 * @default null
                 */
                delivery: {
                  capgo: {
                    /** @description Base64 of the IV, a colon, and Base64 of the AES key, which is encrypted with the private key. */
                    session_key: string;
                    /** @description SHA-256 of the zip before its encryption, encrypted with the private key: 256 bytes in hex or Base64. */
                    checksum: string;
                    /** @description The first 20 characters of the public key in Base64. Devices that send another one are not offered the build. */
                    key_id?: string;
                  };
                } | null;
                rollout_percentage: number | null;
                rollout_enabled: boolean;
                /**
                 * @description Which devices the percentage selects: per_build, for each build other ones; stable, the same ones first for all builds of the app with a stable ring.
                 * @default per_build
                 * @enum {string}
                 */
                ring: 'per_build' | 'stable';
                mandatory: boolean;
                /**
                 * @description The devices that are offered the build; its rollout is a percentage of them. Null: all devices.
                 * @default null
                 */
                audience: {
                  /**
                   * @description Only the pinned devices are in the audience. It then has no other rule.
                   * @constant
                   */
                  pinned_only?: true;
                  /** @description Names of device groups of the app, one of which has to have the device. */
                  groups?: string[];
                  /** @description By the name of an attribute that the app declares, the rule that its value has to meet. A range is a semver range that a version can be in, and needs an attribute of type version. The value of such an attribute is a version. A device that sends no value meets no rule. */
                  attributes?: {
                    [key: string]:
                      | {
                          equal: string;
                        }
                      | {
                          in: string[];
                        }
                      | {
                          range: string;
                        };
                  };
                } | null;
                promoted_from_id: number | null;
                /**
                 * @description Set while the build is recalled. Its status is paused then.
                 * @default null
                 */
                recalled_at: string | null;
                /** @default null */
                recall_reason: string | null;
                /**
                 * @description What devices that run a recalled build get: the ID of a build, embedded (the bundle inside their native app), or none.
                 * @default null
                 */
                recall_target: (number | ('embedded' | 'none')) | null;
                /**
                 * @description The recalled build whose devices get this build. Other devices never get it.
                 * @default null
                 */
                recall_of: number | null;
                /**
                 * @description The build that this one republishes under a higher version, for a recall.
                 * @default null
                 */
                republished_from_id: number | null;
                job_id: string | null;
                /**
                 * @description What the upload stated about the origin of the build, such as its commit. Empty: nothing. A promoted build has that of its source.
                 * @default {}
                 */
                metadata: {
                  [key: string]: string;
                };
                /** @description Rises with every change of this build. If-Match takes it, as in the ETag. */
                revision: number;
                /** Format: date-time */
                created_at: string;
                /** Format: date-time */
                updated_at: string;
              } | null;
            };
          };
        };
      };
    };
  };
  retryBuild: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The build. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Build'];
          };
        };
      };
    };
  };
  getPlan: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plan, with the evidence so far. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description The plan does not enter its first step before this time. Null: it may immediately.
               * @default null
               */
              start_at: string | null;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              /**
               * @description The template that the plan was copied from. Null: none.
               * @default null
               */
              template: string | null;
              /** @description Rises with every change of this plan. If-Match takes it, as in the ETag. */
              revision: number;
              build_id: number;
              version: string;
              channel: string;
              /** @enum {string} */
              status: 'running' | 'held' | 'completed' | 'failed' | 'aborted';
              /** @description The state of the plan and the reason, in words. */
              message: string;
              /** @description Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted. */
              because: ('manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted') | null;
              /** @description The number of the current or last step. Null: none yet. */
              step: number | null;
              /** @description The steps that the plan has entered, in order. */
              entered: {
                step: number;
                /**
                 * Format: date-time
                 * @description When the plan entered the step.
                 */
                at: string;
                /** @description The last verdict in this step. Null: there was none, as when a person skipped it before its end. */
                verdict: ('pass' | 'fail' | 'inconclusive') | null;
                /** @description A person ended the step. */
                skipped: boolean;
              }[];
              /** @description The event of the build that ended the plan, for example RolloutChanged. Null: no change of the build ended it, or it is unknown which. */
              change: string | null;
              /** @description When the minimum duration of the step is over. Null: the plan is in no step, or is held or ended. */
              hold_until: string | null;
              /** @description The earliest time at which the plan can enter its next step, or complete: after hold_until and start_at, and in a window. Null: it is held or ended. */
              next_step_at: string | null;
              limit_percent: number;
              /** @description The previous build, whose failures can raise the limit. Null: there is none, or fewer than 1,000 devices reported a result of it. */
              baseline: {
                build_id: number;
                finished: number;
                failed: number;
              } | null;
              /** @description The last recorded verdict. */
              judged: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
                /** @description Devices of the sample that have not reported how the installation ended. */
                silent: number;
                /** @description The size of the sample: downloads that are old enough (gates.silence.after_minutes), at most 10,000. */
                downloaded: number;
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'inconclusive';
                step: number;
                /** Format: date-time */
                at: string;
                reasons: string[];
              } | null;
              /** @description From the reports until now. Null: the plan is in no step, or the reports could not be counted. */
              now: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
              } | null;
              /** @description The last answer of the webhook gate. Null: there is no such gate, or no answer yet. */
              webhook_answer: {
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'wait';
                /** @description The reason in the answer, cut after 200 characters; or why the answer is invalid. */
                reason: string | null;
                /** Format: date-time */
                at: string;
              } | null;
              warnings: string[];
              /** Format: date-time */
              set_at: string;
              ended_at: string | null;
            };
          };
        };
      };
    };
  };
  setPlan: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json':
          | {
              /** @description The plan template whose settings the plan copies. */
              template: string;
              /**
               * @description The plan does not enter its first step before this time. Null: it may immediately.
               * @default null
               */
              start_at?: string | null;
            }
          | {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              /** @default {} */
              gates?: {
                /**
                 * @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90.
                 * @default {}
                 */
                failures?: {
                  /** @default 2 */
                  threshold_percent?: number;
                };
                /**
                 * @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold.
                 * @default {}
                 */
                silence?: {
                  /** @default 1440 */
                  after_minutes?: number;
                  /** @default 50 */
                  threshold_percent?: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook?: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string & unknown;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows?: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone?: string;
              /**
               * @description The plan does not enter its first step before this time. Null: it may immediately.
               * @default null
               */
              start_at?: string | null;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail?: 'hold' | 'halt' | 'recall';
            };
      };
    };
    responses: {
      /** @description The plan. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description The plan does not enter its first step before this time. Null: it may immediately.
               * @default null
               */
              start_at: string | null;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              /**
               * @description The template that the plan was copied from. Null: none.
               * @default null
               */
              template: string | null;
              /** @description Rises with every change of this plan. If-Match takes it, as in the ETag. */
              revision: number;
              build_id: number;
              version: string;
              channel: string;
              /** @enum {string} */
              status: 'running' | 'held' | 'completed' | 'failed' | 'aborted';
              /** @description The state of the plan and the reason, in words. */
              message: string;
              /** @description Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted. */
              because: ('manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted') | null;
              /** @description The number of the current or last step. Null: none yet. */
              step: number | null;
              /** @description The steps that the plan has entered, in order. */
              entered: {
                step: number;
                /**
                 * Format: date-time
                 * @description When the plan entered the step.
                 */
                at: string;
                /** @description The last verdict in this step. Null: there was none, as when a person skipped it before its end. */
                verdict: ('pass' | 'fail' | 'inconclusive') | null;
                /** @description A person ended the step. */
                skipped: boolean;
              }[];
              /** @description The event of the build that ended the plan, for example RolloutChanged. Null: no change of the build ended it, or it is unknown which. */
              change: string | null;
              /** @description When the minimum duration of the step is over. Null: the plan is in no step, or is held or ended. */
              hold_until: string | null;
              /** @description The earliest time at which the plan can enter its next step, or complete: after hold_until and start_at, and in a window. Null: it is held or ended. */
              next_step_at: string | null;
              limit_percent: number;
              /** @description The previous build, whose failures can raise the limit. Null: there is none, or fewer than 1,000 devices reported a result of it. */
              baseline: {
                build_id: number;
                finished: number;
                failed: number;
              } | null;
              /** @description The last recorded verdict. */
              judged: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
                /** @description Devices of the sample that have not reported how the installation ended. */
                silent: number;
                /** @description The size of the sample: downloads that are old enough (gates.silence.after_minutes), at most 10,000. */
                downloaded: number;
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'inconclusive';
                step: number;
                /** Format: date-time */
                at: string;
                reasons: string[];
              } | null;
              /** @description From the reports until now. Null: the plan is in no step, or the reports could not be counted. */
              now: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
              } | null;
              /** @description The last answer of the webhook gate. Null: there is no such gate, or no answer yet. */
              webhook_answer: {
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'wait';
                /** @description The reason in the answer, cut after 200 characters; or why the answer is invalid. */
                reason: string | null;
                /** Format: date-time */
                at: string;
              } | null;
              warnings: string[];
              /** Format: date-time */
              set_at: string;
              ended_at: string | null;
              /** @description The secret that verifies the requests to the webhook gates of this app (Standard Webhooks). Only this response contains it. */
              gate_secret?: string;
            };
          };
        };
      };
    };
  };
  deletePlan: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plan, which has ended. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description The plan does not enter its first step before this time. Null: it may immediately.
               * @default null
               */
              start_at: string | null;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              /**
               * @description The template that the plan was copied from. Null: none.
               * @default null
               */
              template: string | null;
              /** @description Rises with every change of this plan. If-Match takes it, as in the ETag. */
              revision: number;
              build_id: number;
              version: string;
              channel: string;
              /** @enum {string} */
              status: 'running' | 'held' | 'completed' | 'failed' | 'aborted';
              /** @description The state of the plan and the reason, in words. */
              message: string;
              /** @description Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted. */
              because: ('manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted') | null;
              /** @description The number of the current or last step. Null: none yet. */
              step: number | null;
              /** @description The steps that the plan has entered, in order. */
              entered: {
                step: number;
                /**
                 * Format: date-time
                 * @description When the plan entered the step.
                 */
                at: string;
                /** @description The last verdict in this step. Null: there was none, as when a person skipped it before its end. */
                verdict: ('pass' | 'fail' | 'inconclusive') | null;
                /** @description A person ended the step. */
                skipped: boolean;
              }[];
              /** @description The event of the build that ended the plan, for example RolloutChanged. Null: no change of the build ended it, or it is unknown which. */
              change: string | null;
              /** @description When the minimum duration of the step is over. Null: the plan is in no step, or is held or ended. */
              hold_until: string | null;
              /** @description The earliest time at which the plan can enter its next step, or complete: after hold_until and start_at, and in a window. Null: it is held or ended. */
              next_step_at: string | null;
              limit_percent: number;
              /** @description The previous build, whose failures can raise the limit. Null: there is none, or fewer than 1,000 devices reported a result of it. */
              baseline: {
                build_id: number;
                finished: number;
                failed: number;
              } | null;
              /** @description The last recorded verdict. */
              judged: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
                /** @description Devices of the sample that have not reported how the installation ended. */
                silent: number;
                /** @description The size of the sample: downloads that are old enough (gates.silence.after_minutes), at most 10,000. */
                downloaded: number;
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'inconclusive';
                step: number;
                /** Format: date-time */
                at: string;
                reasons: string[];
              } | null;
              /** @description From the reports until now. Null: the plan is in no step, or the reports could not be counted. */
              now: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
              } | null;
              /** @description The last answer of the webhook gate. Null: there is no such gate, or no answer yet. */
              webhook_answer: {
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'wait';
                /** @description The reason in the answer, cut after 200 characters; or why the answer is invalid. */
                reason: string | null;
                /** Format: date-time */
                at: string;
              } | null;
              warnings: string[];
              /** Format: date-time */
              set_at: string;
              ended_at: string | null;
            };
          };
        };
      };
    };
  };
  changePlanSteps: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The percentages must rise from step to step. */
          steps: {
            percentage: number;
            /** @description The minimum duration of the step. A plan enters at most one step a minute. */
            hold_minutes: number;
            /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
            min_devices: number;
          }[];
        };
      };
    };
    responses: {
      /** @description The plan. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description The plan does not enter its first step before this time. Null: it may immediately.
               * @default null
               */
              start_at: string | null;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              /**
               * @description The template that the plan was copied from. Null: none.
               * @default null
               */
              template: string | null;
              /** @description Rises with every change of this plan. If-Match takes it, as in the ETag. */
              revision: number;
              build_id: number;
              version: string;
              channel: string;
              /** @enum {string} */
              status: 'running' | 'held' | 'completed' | 'failed' | 'aborted';
              /** @description The state of the plan and the reason, in words. */
              message: string;
              /** @description Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted. */
              because: ('manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted') | null;
              /** @description The number of the current or last step. Null: none yet. */
              step: number | null;
              /** @description The steps that the plan has entered, in order. */
              entered: {
                step: number;
                /**
                 * Format: date-time
                 * @description When the plan entered the step.
                 */
                at: string;
                /** @description The last verdict in this step. Null: there was none, as when a person skipped it before its end. */
                verdict: ('pass' | 'fail' | 'inconclusive') | null;
                /** @description A person ended the step. */
                skipped: boolean;
              }[];
              /** @description The event of the build that ended the plan, for example RolloutChanged. Null: no change of the build ended it, or it is unknown which. */
              change: string | null;
              /** @description When the minimum duration of the step is over. Null: the plan is in no step, or is held or ended. */
              hold_until: string | null;
              /** @description The earliest time at which the plan can enter its next step, or complete: after hold_until and start_at, and in a window. Null: it is held or ended. */
              next_step_at: string | null;
              limit_percent: number;
              /** @description The previous build, whose failures can raise the limit. Null: there is none, or fewer than 1,000 devices reported a result of it. */
              baseline: {
                build_id: number;
                finished: number;
                failed: number;
              } | null;
              /** @description The last recorded verdict. */
              judged: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
                /** @description Devices of the sample that have not reported how the installation ended. */
                silent: number;
                /** @description The size of the sample: downloads that are old enough (gates.silence.after_minutes), at most 10,000. */
                downloaded: number;
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'inconclusive';
                step: number;
                /** Format: date-time */
                at: string;
                reasons: string[];
              } | null;
              /** @description From the reports until now. Null: the plan is in no step, or the reports could not be counted. */
              now: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
              } | null;
              /** @description The last answer of the webhook gate. Null: there is no such gate, or no answer yet. */
              webhook_answer: {
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'wait';
                /** @description The reason in the answer, cut after 200 characters; or why the answer is invalid. */
                reason: string | null;
                /** Format: date-time */
                at: string;
              } | null;
              warnings: string[];
              /** Format: date-time */
              set_at: string;
              ended_at: string | null;
            };
          };
        };
      };
    };
  };
  holdPlan: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plan. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description The plan does not enter its first step before this time. Null: it may immediately.
               * @default null
               */
              start_at: string | null;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              /**
               * @description The template that the plan was copied from. Null: none.
               * @default null
               */
              template: string | null;
              /** @description Rises with every change of this plan. If-Match takes it, as in the ETag. */
              revision: number;
              build_id: number;
              version: string;
              channel: string;
              /** @enum {string} */
              status: 'running' | 'held' | 'completed' | 'failed' | 'aborted';
              /** @description The state of the plan and the reason, in words. */
              message: string;
              /** @description Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted. */
              because: ('manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted') | null;
              /** @description The number of the current or last step. Null: none yet. */
              step: number | null;
              /** @description The steps that the plan has entered, in order. */
              entered: {
                step: number;
                /**
                 * Format: date-time
                 * @description When the plan entered the step.
                 */
                at: string;
                /** @description The last verdict in this step. Null: there was none, as when a person skipped it before its end. */
                verdict: ('pass' | 'fail' | 'inconclusive') | null;
                /** @description A person ended the step. */
                skipped: boolean;
              }[];
              /** @description The event of the build that ended the plan, for example RolloutChanged. Null: no change of the build ended it, or it is unknown which. */
              change: string | null;
              /** @description When the minimum duration of the step is over. Null: the plan is in no step, or is held or ended. */
              hold_until: string | null;
              /** @description The earliest time at which the plan can enter its next step, or complete: after hold_until and start_at, and in a window. Null: it is held or ended. */
              next_step_at: string | null;
              limit_percent: number;
              /** @description The previous build, whose failures can raise the limit. Null: there is none, or fewer than 1,000 devices reported a result of it. */
              baseline: {
                build_id: number;
                finished: number;
                failed: number;
              } | null;
              /** @description The last recorded verdict. */
              judged: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
                /** @description Devices of the sample that have not reported how the installation ended. */
                silent: number;
                /** @description The size of the sample: downloads that are old enough (gates.silence.after_minutes), at most 10,000. */
                downloaded: number;
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'inconclusive';
                step: number;
                /** Format: date-time */
                at: string;
                reasons: string[];
              } | null;
              /** @description From the reports until now. Null: the plan is in no step, or the reports could not be counted. */
              now: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
              } | null;
              /** @description The last answer of the webhook gate. Null: there is no such gate, or no answer yet. */
              webhook_answer: {
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'wait';
                /** @description The reason in the answer, cut after 200 characters; or why the answer is invalid. */
                reason: string | null;
                /** Format: date-time */
                at: string;
              } | null;
              warnings: string[];
              /** Format: date-time */
              set_at: string;
              ended_at: string | null;
            };
          };
        };
      };
    };
  };
  resumePlan: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plan. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description The plan does not enter its first step before this time. Null: it may immediately.
               * @default null
               */
              start_at: string | null;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              /**
               * @description The template that the plan was copied from. Null: none.
               * @default null
               */
              template: string | null;
              /** @description Rises with every change of this plan. If-Match takes it, as in the ETag. */
              revision: number;
              build_id: number;
              version: string;
              channel: string;
              /** @enum {string} */
              status: 'running' | 'held' | 'completed' | 'failed' | 'aborted';
              /** @description The state of the plan and the reason, in words. */
              message: string;
              /** @description Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted. */
              because: ('manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted') | null;
              /** @description The number of the current or last step. Null: none yet. */
              step: number | null;
              /** @description The steps that the plan has entered, in order. */
              entered: {
                step: number;
                /**
                 * Format: date-time
                 * @description When the plan entered the step.
                 */
                at: string;
                /** @description The last verdict in this step. Null: there was none, as when a person skipped it before its end. */
                verdict: ('pass' | 'fail' | 'inconclusive') | null;
                /** @description A person ended the step. */
                skipped: boolean;
              }[];
              /** @description The event of the build that ended the plan, for example RolloutChanged. Null: no change of the build ended it, or it is unknown which. */
              change: string | null;
              /** @description When the minimum duration of the step is over. Null: the plan is in no step, or is held or ended. */
              hold_until: string | null;
              /** @description The earliest time at which the plan can enter its next step, or complete: after hold_until and start_at, and in a window. Null: it is held or ended. */
              next_step_at: string | null;
              limit_percent: number;
              /** @description The previous build, whose failures can raise the limit. Null: there is none, or fewer than 1,000 devices reported a result of it. */
              baseline: {
                build_id: number;
                finished: number;
                failed: number;
              } | null;
              /** @description The last recorded verdict. */
              judged: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
                /** @description Devices of the sample that have not reported how the installation ended. */
                silent: number;
                /** @description The size of the sample: downloads that are old enough (gates.silence.after_minutes), at most 10,000. */
                downloaded: number;
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'inconclusive';
                step: number;
                /** Format: date-time */
                at: string;
                reasons: string[];
              } | null;
              /** @description From the reports until now. Null: the plan is in no step, or the reports could not be counted. */
              now: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
              } | null;
              /** @description The last answer of the webhook gate. Null: there is no such gate, or no answer yet. */
              webhook_answer: {
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'wait';
                /** @description The reason in the answer, cut after 200 characters; or why the answer is invalid. */
                reason: string | null;
                /** Format: date-time */
                at: string;
              } | null;
              warnings: string[];
              /** Format: date-time */
              set_at: string;
              ended_at: string | null;
            };
          };
        };
      };
    };
  };
  skipPlanStep: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plan. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description The plan does not enter its first step before this time. Null: it may immediately.
               * @default null
               */
              start_at: string | null;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              /**
               * @description The template that the plan was copied from. Null: none.
               * @default null
               */
              template: string | null;
              /** @description Rises with every change of this plan. If-Match takes it, as in the ETag. */
              revision: number;
              build_id: number;
              version: string;
              channel: string;
              /** @enum {string} */
              status: 'running' | 'held' | 'completed' | 'failed' | 'aborted';
              /** @description The state of the plan and the reason, in words. */
              message: string;
              /** @description Why the plan is held or ended. manual: a person held it; inconclusive: the step is over without enough evidence; failed: a gate failed; changed: a person changed the rollout or the status of the build; deleted: the plan was deleted. */
              because: ('manual' | 'inconclusive' | 'failed' | 'changed' | 'deleted') | null;
              /** @description The number of the current or last step. Null: none yet. */
              step: number | null;
              /** @description The steps that the plan has entered, in order. */
              entered: {
                step: number;
                /**
                 * Format: date-time
                 * @description When the plan entered the step.
                 */
                at: string;
                /** @description The last verdict in this step. Null: there was none, as when a person skipped it before its end. */
                verdict: ('pass' | 'fail' | 'inconclusive') | null;
                /** @description A person ended the step. */
                skipped: boolean;
              }[];
              /** @description The event of the build that ended the plan, for example RolloutChanged. Null: no change of the build ended it, or it is unknown which. */
              change: string | null;
              /** @description When the minimum duration of the step is over. Null: the plan is in no step, or is held or ended. */
              hold_until: string | null;
              /** @description The earliest time at which the plan can enter its next step, or complete: after hold_until and start_at, and in a window. Null: it is held or ended. */
              next_step_at: string | null;
              limit_percent: number;
              /** @description The previous build, whose failures can raise the limit. Null: there is none, or fewer than 1,000 devices reported a result of it. */
              baseline: {
                build_id: number;
                finished: number;
                failed: number;
              } | null;
              /** @description The last recorded verdict. */
              judged: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
                /** @description Devices of the sample that have not reported how the installation ended. */
                silent: number;
                /** @description The size of the sample: downloads that are old enough (gates.silence.after_minutes), at most 10,000. */
                downloaded: number;
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'inconclusive';
                step: number;
                /** Format: date-time */
                at: string;
                reasons: string[];
              } | null;
              /** @description From the reports until now. Null: the plan is in no step, or the reports could not be counted. */
              now: {
                /** @description Devices whose installation succeeded, failed or was rolled back. */
                finished: number;
                /** @description Those whose installation failed or was rolled back. */
                failed: number;
                /** @description Further devices, which do not count: one address counts as at most 2% of the devices, or as 3 if that is more. */
                left_out: number;
                failed_percent: number;
                /** @description The share is higher than this, with an error of at most 1 in 1,000 plans. The plan fails once it exceeds the limit. */
                at_least_percent: number;
              } | null;
              /** @description The last answer of the webhook gate. Null: there is no such gate, or no answer yet. */
              webhook_answer: {
                /** @enum {string} */
                verdict: 'pass' | 'fail' | 'wait';
                /** @description The reason in the answer, cut after 200 characters; or why the answer is invalid. */
                reason: string | null;
                /** Format: date-time */
                at: string;
              } | null;
              warnings: string[];
              /** Format: date-time */
              set_at: string;
              ended_at: string | null;
            };
          };
        };
      };
    };
  };
  replaceGateSecret: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The new secret. No later response contains it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The secret that verifies the requests to the webhook gates of this app (Standard Webhooks). Only this response contains it. */
              gate_secret: string;
            };
          };
        };
      };
    };
  };
  listPlanTemplates: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              name: string;
              /**
               * @description Rises with every change of this template. If-Match takes it, as in the ETag.
               * @default 1
               */
              revision: number;
              /** Format: date-time */
              updated_at: string;
            }[];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  getPlanTemplate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a plan template. */
        template: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The template. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              name: string;
              /**
               * @description Rises with every change of this template. If-Match takes it, as in the ETag.
               * @default 1
               */
              revision: number;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
      };
    };
  };
  setPlanTemplate: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a plan template. */
        template: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The percentages must rise from step to step. */
          steps: {
            percentage: number;
            /** @description The minimum duration of the step. A plan enters at most one step a minute. */
            hold_minutes: number;
            /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
            min_devices: number;
          }[];
          /** @default {} */
          gates?: {
            /**
             * @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90.
             * @default {}
             */
            failures?: {
              /** @default 2 */
              threshold_percent?: number;
            };
            /**
             * @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold.
             * @default {}
             */
            silence?: {
              /** @default 1440 */
              after_minutes?: number;
              /** @default 50 */
              threshold_percent?: number;
            };
            /**
             * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
             * @default null
             */
            webhook?: {
              /**
               * Format: uri
               * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
               */
              url: string & unknown;
            } | null;
          };
          /**
           * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
           * @default []
           */
          windows?: {
            days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
            from: string;
            /** @description Later than `from`. 24:00 is the end of the day. */
            to: string;
          }[];
          /**
           * @description The time zone of the windows: a name of the IANA time zone database.
           * @default UTC
           */
          time_zone?: string;
          /**
           * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
           * @default hold
           * @enum {string}
           */
          on_fail?: 'hold' | 'halt' | 'recall';
        };
      };
    };
    responses: {
      /** @description The template. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description The percentages must rise from step to step. */
              steps: {
                percentage: number;
                /** @description The minimum duration of the step. A plan enters at most one step a minute. */
                hold_minutes: number;
                /** @description How many devices must have reported a result before the next step: the installation succeeded, failed or was rolled back. Devices of earlier steps count. Those of the address that has the most devices do not. */
                min_devices: number;
              }[];
              gates: {
                /** @description Accepted share of the devices whose installation failed or was rolled back. The limit is this threshold, or 1.5 times the share of the previous build if that is higher, but at most 90. */
                failures: {
                  /** @default 2 */
                  threshold_percent: number;
                };
                /** @description Of the devices that downloaded the build at least after_minutes ago, the share that has not reported how the installation ended. A step passes only if it is below the threshold. */
                silence: {
                  /** @default 1440 */
                  after_minutes: number;
                  /** @default 50 */
                  threshold_percent: number;
                };
                /**
                 * @description The webhook gate: a service that has to answer pass before a step ends. It gets a signed POST once a minute. If it answers fail, the plan does what on_fail specifies.
                 * @default null
                 */
                webhook: {
                  /**
                   * Format: uri
                   * @description A public https address without user name and password. Everyone who can read the plan can read it, so it must not contain a secret.
                   */
                  url: string;
                } | null;
              };
              /**
               * @description The weekdays and times of day at which the plan may enter a step. Empty: always.
               * @default []
               */
              windows: {
                days: ('mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat' | 'sun')[];
                from: string;
                /** @description Later than `from`. 24:00 is the end of the day. */
                to: string;
              }[];
              /**
               * @description The time zone of the windows: a name of the IANA time zone database.
               * @default UTC
               */
              time_zone: string;
              /**
               * @description What happens when a gate fails. hold: the build stays at its percentage until a person decides; halt: no further device is offered the build; recall: devices that run it also get the previous build.
               * @default hold
               * @enum {string}
               */
              on_fail: 'hold' | 'halt' | 'recall';
              name: string;
              /**
               * @description Rises with every change of this template. If-Match takes it, as in the ETag.
               * @default 1
               */
              revision: number;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
      };
    };
  };
  deletePlanTemplate: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a plan template. */
        template: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @constant */
              deleted: true;
              name: string;
            };
          };
        };
      };
    };
  };
  getPins: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How many there are, and when the pins expire. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              build_id: number;
              /** @description How many devices are pinned. */
              devices: number;
              first_expires_at: string | null;
              last_expires_at: string | null;
            };
          };
        };
      };
    };
  };
  removePins: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The build has no pins. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              build_id: number;
              /** @description How many devices are pinned. */
              devices: number;
              first_expires_at: string | null;
              last_expires_at: string | null;
              /** @description Why pins that were added have no effect now. */
              warnings: {
                device_id: string | null;
                /** @enum {string} */
                warning: 'not_offered' | 'newer_offered' | 'not_newer' | 'rolled_back' | 'no_audience';
                message: string;
              }[];
            };
          };
        };
      };
    };
  };
  changePins: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /**
           * @description Devices to pin, by the IDs that they send as X-Device-ID.
           * @default []
           */
          add?: (string & unknown)[];
          /**
           * @description Devices whose pins end. One that is also in `add` is pinned.
           * @default []
           */
          remove?: (string & unknown)[];
          /**
           * Format: date-time
           * @description When the added pins expire: in the future, at most 365 days from now. Default: in 90 days. A device that is pinned already gets this end too.
           */
          expires_at?: string;
        };
      };
    };
    responses: {
      /** @description The pins of the build. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              build_id: number;
              /** @description How many devices are pinned. */
              devices: number;
              first_expires_at: string | null;
              last_expires_at: string | null;
              /** @description Why pins that were added have no effect now. */
              warnings: {
                device_id: string | null;
                /** @enum {string} */
                warning: 'not_offered' | 'newer_offered' | 'not_newer' | 'rolled_back' | 'no_audience';
                message: string;
              }[];
            };
          };
        };
      };
    };
  };
  getChannelPins: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How many there are, and when the pins expire. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              channel: string;
              /** @description How many devices are pinned. */
              devices: number;
              first_expires_at: string | null;
              last_expires_at: string | null;
            };
          };
        };
      };
    };
  };
  removeChannelPins: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The channel has no pins. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              channel: string;
              /** @description How many devices are pinned. */
              devices: number;
              first_expires_at: string | null;
              last_expires_at: string | null;
              /** @description Why pins that were added have no effect now. */
              warnings: {
                device_id: string | null;
                /** @enum {string} */
                warning: 'not_offered' | 'newer_offered' | 'not_newer' | 'rolled_back' | 'no_audience';
                message: string;
              }[];
            };
          };
        };
      };
    };
  };
  changeChannelPins: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a channel. */
        channel: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /**
           * @description Devices to pin, by the IDs that they send as X-Device-ID.
           * @default []
           */
          add?: (string & unknown)[];
          /**
           * @description Devices whose pins end. One that is also in `add` is pinned.
           * @default []
           */
          remove?: (string & unknown)[];
          /**
           * Format: date-time
           * @description When the added pins expire: in the future, at most 365 days from now. Default: in 90 days. A device that is pinned already gets this end too.
           */
          expires_at?: string;
        };
      };
    };
    responses: {
      /** @description The pins of the channel. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              channel: string;
              /** @description How many devices are pinned. */
              devices: number;
              first_expires_at: string | null;
              last_expires_at: string | null;
              /** @description Why pins that were added have no effect now. */
              warnings: {
                device_id: string | null;
                /** @enum {string} */
                warning: 'not_offered' | 'newer_offered' | 'not_newer' | 'rolled_back' | 'no_audience';
                message: string;
              }[];
            };
          };
        };
      };
    };
  };
  getBuildHistory: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
        type?: string;
        actor?: string;
        /** @description Not later than `to`. */
        from?: string;
        to?: string;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['HistoryEntry'][];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  getAdoption: {
    parameters: {
      query?: {
        /** @description The first day. Default: 29 days before the last one. Not later than `to`, and at most 366 days in all. */
        from?: string;
        /** @description The last day. Default: today. Both are from 2000-01-01 to 366 days from now. */
        to?: string;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The days, with the active devices of each. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Adoption'];
          };
        };
      };
    };
  };
  getHealth: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The devices of the app, and the builds with their health. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @description Devices of the app that reported anything within `DEVICE_STATE_DAYS` days. */
              devices: number;
              builds: {
                build_id: number;
                version: string;
                channel: string;
                /** @enum {string} */
                state: 'processing' | 'live' | 'rolling_out' | 'stopped' | 'failed' | 'archived';
                recalled: boolean;
                rollout_percentage: number;
                /** @description Devices that run the build now, by the last report of each within `DEVICE_STATE_DAYS` days. */
                running: number;
                /** @description Devices that run any build of its channel. Those that run no known build are counted in production. */
                channel_devices: number;
                /** @description Devices that installed it, since it was created. */
                installed: number;
                /** @description Devices whose installation failed. */
                failed: number;
                /** @description Devices that rolled it back. */
                rolled_back: number;
                /** @description Devices that installed it, failed or rolled it back, each once. */
                attempts: number;
                /** @description Devices whose installation failed or was rolled back, each once. */
                failed_attempts: number;
                /**
                 * @description failing: it certainly fails on more devices than the limit allows; watch: it may; unknown: too few attempts to judge; healthy: none of these.
                 * @enum {string}
                 */
                health: 'healthy' | 'watch' | 'failing' | 'unknown';
                /** @description failed_attempts as a share of attempts. Null: there are no attempts. */
                failed_percent: number | null;
                /** @description The highest share that is accepted. */
                limit_percent: number;
                /**
                 * @description Where the limit is from: the rollout plan of the build, the failure rate of the previous build, or the default of rollout plans.
                 * @enum {string}
                 */
                judged_by: 'plan' | 'baseline' | 'default';
                /** @description The previous build, if its failure rate counts. */
                baseline_build_id: number | null;
                /** @description The last 7 days (UTC), oldest first. */
                days: {
                  /** Format: date */
                  day: string;
                  installed: number;
                  failed: number;
                  rolled_back: number;
                }[];
              }[];
            };
          };
        };
      };
    };
  };
  getBuildStats: {
    parameters: {
      query?: {
        /** @description The first day. Default: 29 days before the last one. Not later than `to`, and at most 366 days in all. */
        from?: string;
        /** @description The last day. Default: today. Both are from 2000-01-01 to 366 days from now. */
        to?: string;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Totals, and the requested days. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['BuildStats'];
          };
        };
      };
    };
  };
  getBuildFiles: {
    parameters: {
      query?: {
        /** @description The build to compare with. Default: the build of the same channel and platform with the next lower version. */
        compare?: number;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of a build. */
        build: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The numbers of files, the changes of the biggest files, and the biggest files. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['BuildFiles'];
          };
        };
      };
    };
  };
  explainUpdate: {
    parameters: {
      query: {
        device: string;
        /** @description No number in it is above 9007199254740991. */
        version: string;
        platform: 'ios' | 'android' | 'web' | 'all';
        /** @description The channel that the device names: production, staging or development, or another channel of the app. Without it, the default channel of the app for the platform, else production. */
        channel?: string;
        app_version?: string;
        /** @description As the device sends it in X-Native-Fingerprint. */
        fingerprint?: string;
        /** @description No number in it is above 9007199254740991. */
        embedded_version?: string;
        /** @description What the device sends as X-Attr-{name}, written as in a query: plan=pro&os=17.2 */
        attributes?: string;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The selected build and the reasons. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Explanation'];
          };
        };
      };
    };
  };
  getDevice: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id that the device sends as X-Device-ID. */
        device: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The device. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              state: {
                /** Format: date-time */
                last_seen_at: string;
                version: string | null;
                native_version: string | null;
                platform: ('ios' | 'android' | 'web' | 'all') | null;
                /**
                 * @description The channel of the build that it last downloaded or installed, or the only one of the API key that it reported with. Null: not known, because reports name no channel.
                 * @default null
                 */
                channel: string | null;
                /**
                 * @description The API key of its last report. Null: an earlier release stored the report.
                 * @default null
                 */
                api_key_id: number | null;
                last_outcome: {
                  build_id: number;
                  /** @enum {string} */
                  report: 'download' | 'install';
                  /** @enum {string} */
                  status: 'complete' | 'failed' | 'rollback';
                } | null;
              } | null;
              reports: number;
              /**
               * @description The builds that the device is not offered because it reported their rollback.
               * @default []
               */
              rolled_back: number[];
              /**
               * @description The builds that the device is pinned to.
               * @default []
               */
              pins: {
                build_id: number;
                /** Format: date-time */
                expires_at: string;
              }[];
              /**
               * @description The channels in whose audience the device is because it is pinned there.
               * @default []
               */
              channel_pins: {
                channel: string;
                /** Format: date-time */
                expires_at: string;
              }[];
              /**
               * @description The device groups that it is in.
               * @default []
               */
              groups: string[];
              /**
               * @description The channel that the device has chosen itself. It has an effect as long as the channel exists and has self_assign.
               * @default null
               */
              chosen_channel: {
                channel: string;
                /** Format: date-time */
                expires_at: string;
              } | null;
            };
          };
        };
      };
    };
  };
  forgetDevice: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id that the device sends as X-Device-ID. */
        device: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How many reports were deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              deleted: number;
            };
          };
        };
      };
    };
  };
  listDeviceReports: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id that the device sends as X-Device-ID. */
        device: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: string;
              /** @enum {string} */
              report: 'active' | 'download' | 'install';
              status: ('complete' | 'failed' | 'rollback') | null;
              build_id: number | null;
              version: string | null;
              native_version: string | null;
              platform: ('ios' | 'android' | 'web' | 'all') | null;
              /** Format: date-time */
              at: string;
              error: string | null;
              previous_version: string | null;
              /**
               * @description Whether Sluice inferred the report from an update check, because the client sends no reports.
               * @default false
               */
              inferred: boolean;
            }[];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  listGroups: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              name: string;
              /** @description How many devices it has. */
              devices: number;
              /** @description Rises each time the group is replaced, or a device of it is deleted. If-Match takes it, as in the ETag. */
              revision: number;
              /** Format: date-time */
              updated_at: string;
            }[];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  getGroup: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a device group. */
        group: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The group. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              name: string;
              /** @description How many devices it has. */
              devices: number;
              /** @description Rises each time the group is replaced, or a device of it is deleted. If-Match takes it, as in the ETag. */
              revision: number;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
      };
    };
  };
  replaceGroup: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a device group. */
        group: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': {
          /** @description The file, as binary. */
          file: unknown;
        };
      };
    };
    responses: {
      /** @description The group. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              name: string;
              /** @description How many devices it has. */
              devices: number;
              /** @description Rises each time the group is replaced, or a device of it is deleted. If-Match takes it, as in the ETag. */
              revision: number;
              /** Format: date-time */
              updated_at: string;
            };
          };
        };
      };
    };
  };
  deleteGroup: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The name of a device group. */
        group: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The group is deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @constant */
              deleted: true;
              name: string;
            };
          };
        };
      };
    };
  };
  getJob: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The id of a job, a ULID. */
        job: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The job. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['Job'];
          };
        };
      };
    };
  };
  listApiKeys: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ApiKey'][];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  createApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          name: string & unknown;
        };
      };
    };
    responses: {
      /** @description The key, with its plaintext. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              /** @enum {string} */
              status: 'active' | 'deprecated' | 'revoked';
              plaintext_key: string;
            };
          };
        };
      };
    };
  };
  getApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ApiKey'];
          };
        };
      };
    };
  };
  deleteApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @constant */
              deleted: true;
              id: number;
            };
          };
        };
      };
    };
  };
  rotateApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key, with its plaintext. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              /** @enum {string} */
              status: 'active' | 'deprecated' | 'revoked';
              plaintext_key: string;
            };
          };
        };
      };
    };
  };
  revealApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The plaintext. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              plaintext_key: string;
            };
          };
        };
      };
    };
  };
  restrictApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          origins?: (string & unknown)[];
          android?: {
            package_name: string;
            sha256?: string[];
            sha1?: string[];
          }[];
          ios?: {
            bundle_id: string;
            team_id?: string;
          }[];
          /** @description Checks and reports with the key are accepted for these channels of the app only. Omitted or empty: for all. */
          channels?: string[];
        };
      };
    };
    responses: {
      /** @description The updated key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ApiKey'];
          };
        };
      };
    };
  };
  revokeApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The revoked key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ApiKey'];
          };
        };
      };
    };
  };
  deprecateApiKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description The ETag, or the revision in double quotes, as you read it: the request has no effect if the resource has changed since. */
        'If-Match'?: string;
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The updated key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ApiKey'];
          };
        };
      };
    };
  };
  getSigningKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The key, or the statement that there is none. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data:
              | {
                  /** @constant */
                  configured: false;
                }
              | {
                  id: number;
                  name: string;
                  /** @enum {string} */
                  scheme: 'pkcs1v15' | 'pss';
                  public_key: string;
                  fingerprint: string;
                  /** @enum {string} */
                  status: 'active' | 'former' | 'retired';
                  /** Format: date-time */
                  created_at: string;
                  /** @constant */
                  configured: true;
                  rotated_at: string | null;
                  former_keys: {
                    id: number;
                    fingerprint: string;
                  }[];
                };
          };
        };
      };
    };
  };
  createSigningKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          name?: (string & unknown) | null;
          scheme?: ('pkcs1v15' | 'pss') | null;
          size?: (2048 | 3072) | null;
        };
      };
    };
    responses: {
      /** @description The new key. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              /** @enum {string} */
              scheme: 'pkcs1v15' | 'pss';
              public_key: string;
              fingerprint: string;
              /** @enum {string} */
              status: 'active' | 'former' | 'retired';
              /** Format: date-time */
              created_at: string;
              /** @constant */
              configured: true;
              rotated_at: string | null;
              former_keys: {
                id: number;
                fingerprint: string;
              }[];
            };
          };
        };
      };
    };
  };
  rotateSigningKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          name?: (string & unknown) | null;
          scheme?: ('pkcs1v15' | 'pss') | null;
          size?: (2048 | 3072) | null;
          expected_fingerprint?: string | null;
        };
      };
    };
    responses: {
      /** @description The new key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              /** @enum {string} */
              scheme: 'pkcs1v15' | 'pss';
              public_key: string;
              fingerprint: string;
              /** @enum {string} */
              status: 'active' | 'former' | 'retired';
              /** Format: date-time */
              created_at: string;
              /** @constant */
              configured: true;
              rotated_at: string | null;
              former_keys: {
                id: number;
                fingerprint: string;
              }[];
            };
          };
        };
      };
    };
  };
  listSigningKeys: {
    parameters: {
      query?: {
        page?: number;
        per_page?: number;
      };
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description One page. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              /** @enum {string} */
              scheme: 'pkcs1v15' | 'pss';
              public_key: string;
              fingerprint: string;
              /** @enum {string} */
              status: 'active' | 'former' | 'retired';
              /** Format: date-time */
              created_at: string;
              superseded_at: string | null;
              retired_at: string | null;
              devices: number | null;
            }[];
            meta: {
              current_page: number;
              last_page: number;
              per_page: number;
              total: number;
            };
          };
        };
      };
    };
  };
  getSigningCertificate: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The certificate. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              certificate: string;
              keyid: string;
              /** @constant */
              alg: 'rsa-v1_5-sha256';
              /** Format: date-time */
              valid_from: string;
              /** Format: date-time */
              valid_until: string;
            };
          };
        };
      };
    };
  };
  retireSigningKey: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
        /** @description The id of an app API key, or of a signing key. */
        key: number;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The retired key. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              id: number;
              name: string;
              /** @enum {string} */
              scheme: 'pkcs1v15' | 'pss';
              public_key: string;
              fingerprint: string;
              /** @enum {string} */
              status: 'active' | 'former' | 'retired';
              /** Format: date-time */
              created_at: string;
              superseded_at: string | null;
              retired_at: string | null;
            };
          };
        };
      };
    };
  };
  getKeystore: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The backup, or the statement that there is none. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data:
              | {
                  /** @constant */
                  configured: false;
                }
              | {
                  /** @constant */
                  configured: true;
                  original_name: string;
                  size_bytes: number;
                  sha256: string;
                  /** Format: date-time */
                  uploaded_at: string;
                };
          };
        };
      };
    };
  };
  uploadKeystore: {
    parameters: {
      query?: never;
      header?: {
        /** @description Identifies the request for 24 hours. A repeat with the same key has no further effect and returns the same ids. */
        'Idempotency-Key'?: string;
      };
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'multipart/form-data': {
          /** @description The file, as binary. */
          file: unknown;
        };
      };
    };
    responses: {
      /** @description Stored. A repeated upload returns the current backup. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data:
              | {
                  /** @constant */
                  configured: false;
                }
              | {
                  /** @constant */
                  configured: true;
                  original_name: string;
                  size_bytes: number;
                  sha256: string;
                  /** Format: date-time */
                  uploaded_at: string;
                };
          };
        };
      };
    };
  };
  deleteKeystore: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Deleted. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: {
              /** @constant */
              deleted: true;
            };
          };
        };
      };
    };
  };
  downloadKeystore: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The integer id of an app, or its app_id. */
        app: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The zip. If it was altered in the object store, the download is cut off. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/zip': unknown;
        };
      };
    };
  };
}
