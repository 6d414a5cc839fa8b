import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Build, Plan } from '@sluice/contracts';
import { eventually } from '@sluice/testing';
import { describeInChromium } from '../support/chromium';
import { call } from '../support/http';
import { asOwner } from './as-owner';
import { consoleScene } from './harness';

const MINUTE = 60_000;

describeInChromium('a rollout plan in the console', () => {
  const scene = consoleScene({
    ...{ TRUSTED_PROXIES: '127.0.0.1/32', LIMIT_ADDRESS_PER_MINUTE: '100000' },
    WEBHOOK_ALLOW_PRIVATE_ADDRESSES: 'on',
  });
  const { ask, release } = asOwner(scene);

  const dialog = () => scene.page.locator('.dialog').last();
  const section = (page = scene.page) => page.getByRole('region', { name: 'Rollout plan', exact: true });
  const build = () => ask<Build>('GET', '/apps/1/builds/1');
  const plan = (id: number) => ask<Plan>('GET', `/apps/1/builds/${id}/plan`);
  const set = (id: number, body: object) => ask<Plan>('PUT', `/apps/1/builds/${id}/plan`, body);
  /** Build 1 for all devices, without a plan that runs: another test may have left one. */
  const reset = async () => {
    await ask('DELETE', '/apps/1/builds/1/plan').catch(() => undefined);
    await ask('PATCH', '/apps/1/builds/1/rollout', { rollout_percentage: 100, enabled: true });
  };
  const steps = (...percentages: number[]) =>
    percentages.map((percentage) => ({ percentage, hold_minutes: 120, min_devices: 0 }));
  /** Opens a dialog of the section, and confirms it after what it says that happens. */
  const confirm = async (button: string, effect: string, verb: string) => {
    await section().getByRole('button', { name: button }).click();
    await dialog().getByText(effect).waitFor();
    await dialog().getByRole('button', { name: verb, exact: true }).click();
    await dialog().waitFor({ state: 'detached' });
  };
  let key = '';

  beforeAll(async () => {
    await ask('POST', '/apps', { name: 'Shop', bundle_id: 'com.example.shop' });
    await release(1, '1.0.0', 100);
    key = (await ask<{ plaintext_key: string }>('POST', '/apps/1/api-keys', { name: 'app' })).plaintext_key;
    await scene.signIn();
  }, MINUTE);

  it(
    'is set by a form, which shows what the server rejects at its fields, and its warnings',
    async () => {
      const { page } = scene;
      await scene.open('/apps/1/builds/1');
      await section().getByText('A plan raises the rollout step by step').waitFor();
      await section().getByRole('button', { name: 'Set a plan…' }).click();
      const stepAt = (number: number) => dialog().getByRole('group', { name: `Step ${number}`, exact: true });
      expect(
        await dialog()
          .getByLabel('Percentage')
          .evaluateAll((all) => all.map((each) => (each as HTMLInputElement).value)),
      ).toEqual(['5', '25', '50', '100']);
      await dialog().getByText('the rollout changes to 5% of devices, even if it is higher now').waitFor();
      await stepAt(2).getByLabel('Percentage').fill('5');
      await stepAt(1).getByLabel('Lasts at least').fill('');
      await dialog().getByText('Thresholds, webhook gate').click();
      await dialog().getByRole('button', { name: 'Add a time window' }).click();
      await dialog().getByLabel('To', { exact: true }).fill('08:00');
      await dialog().getByLabel('Time zone').fill('Mars/Olympus');
      await dialog().getByText('The build keeps its rollout until the plan starts.').waitFor();
      await dialog().getByText('Thresholds, webhook gate').click();
      await dialog().getByRole('button', { name: 'Set plan' }).click();
      await stepAt(1).getByText('A step lasts 30 days at most.').waitFor();
      await dialog().getByText('“To” must be later than “From”.').waitFor();
      await dialog().getByText('Enter the name of a time zone').waitFor();
      expect(await scene.barriers()).toEqual([]);

      await stepAt(1).getByLabel('Lasts at least').fill('6');
      await stepAt(1).getByLabel('Unit').selectOption('hours');
      await dialog().getByRole('button', { name: 'Remove window 1' }).click();
      await dialog().getByRole('button', { name: 'Set plan' }).click();
      await dialog().getByText('The percentages must rise from step to step.').waitFor();
      expect((await build()).rollout_percentage).toBe(100);

      await stepAt(2).getByLabel('Percentage').fill('30');
      await dialog().getByRole('button', { name: 'Remove step 3' }).click();
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Add a step');
      await dialog().getByRole('button', { name: 'Set plan' }).click();
      await dialog().getByText('The plan is set.').waitFor();
      await dialog().getByText('The devices of steps 1, 2, and 3 (100) are too few').waitFor();
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      await section().getByText('Step 1 of 3, at 5% of devices.').waitFor();
      expect(await plan(1)).toMatchObject({
        ...{ status: 'running', step: 1, on_fail: 'hold', windows: [] },
        steps: [
          { percentage: 5, hold_minutes: 360, min_devices: 100 },
          { percentage: 30, hold_minutes: 1_440, min_devices: 100 },
          { percentage: 100, hold_minutes: 1_440, min_devices: 100 },
        ],
      });
      expect((await build()).rollout_percentage).toBe(5);
    },
    MINUTE,
  );

  it(
    'shows its steps and its clock, and is held, resumed, skipped and deleted after it says what happens',
    async () => {
      await reset();
      await set(1, {
        steps: [5, 30, 100].map((percentage) => ({ percentage, hold_minutes: 360, min_devices: 100 })),
      });
      await scene.open('/apps/1/builds/1');
      const present = section().locator('[aria-current="step"]');
      await present.getByText('for at least 6 hours, then 100 devices must have reported a result').waitFor();
      await present.getByText(/^Time: \d+ minutes? of 6 hours Waits$/).waitFor();
      await present.getByText('Devices: 0 of 100 Waits').waitFor();
      expect(await present.innerText()).toMatch(/^5% of devices/);
      const places = await section()
        .getByRole('list', { name: 'Steps', exact: true })
        .getByText(/^\d+% of devices$/)
        .evaluateAll((all) => all.map((each) => Math.round(each.getBoundingClientRect().y)));
      expect(new Set(places).size).toBe(1);
      await section().getByText('Next step, at the earliest').waitFor();
      await section().getByText('in 6 hours').waitFor();
      await section().getByText('The devices of steps 1, 2, and 3 (100) are too few').waitFor();
      expect(await scene.barriers()).toEqual([]);

      await confirm('Hold…', 'The build keeps its rollout of 5%.', 'Hold plan');
      await scene.page.getByText(/Rolling out 5% .*Plan held The build is still offered/).waitFor();
      await section().getByText('At 5% of devices. operator held it').waitFor();
      expect(await section().getByText('Next step, at the earliest').count()).toBe(0);
      await confirm('Resume…', 'The step starts again. It lasts at least 6 hours from now.', 'Resume plan');
      await section().getByText('Step 1 of 3, at 5% of devices.').waitFor();
      const undo = async (text: string) => {
        const toast = scene.page.locator('.toast', { hasText: text });
        await toast.getByRole('button', { name: 'Undo' }).click();
        await toast.waitFor({ state: 'detached' });
      };
      await undo('The plan of 1.0.0 in production is running.');
      await section().getByText('At 5% of devices. operator held it').waitFor();
      await confirm('Resume…', 'The step starts again.', 'Resume plan');
      await confirm('Hold…', 'The build keeps its rollout of 5%.', 'Hold plan');
      await undo('Undo resumes it, and its step starts again.');
      await section().getByText('Step 1 of 3, at 5% of devices.').waitFor();
      await confirm('Skip to this step…', 'The build is offered to 30% of devices immediately', 'Skip step');
      await section().getByText('Step 2 of 3, at 30% of devices.').waitFor();
      await section().getByRole('listitem').filter({ hasText: 'Skipped' }).getByText('5% of devices').waitFor();
      expect((await build()).rollout_percentage).toBe(30);

      // The plan moves on while the dialog is open.
      await section().getByRole('button', { name: 'Skip to this step…' }).click();
      await dialog().getByText('The build is offered to 100% of devices').waitFor();
      await ask('POST', '/apps/1/builds/1/plan/hold');
      await scene.page.locator('.toast', { hasText: 'changed in the meantime' }).waitFor();
      await dialog().waitFor({ state: 'detached' });
      await confirm('Delete plan…', 'can no longer stop the build', 'Delete plan');
      await section().getByText('Deleted at 30% of devices.').waitFor();
      await section().getByRole('button', { name: 'Set a plan…' }).waitFor();
      expect(await plan(1)).toMatchObject({ status: 'aborted', because: 'deleted' });
      expect((await build()).rollout_percentage).toBe(30);
    },
    MINUTE,
  );

  it(
    'changes the steps that are left, unless the plan has changed meanwhile, and back',
    async () => {
      const { page } = scene;
      await reset();
      await set(1, { steps: steps(5, 30, 100) });
      await ask('POST', '/apps/1/builds/1/plan/skip');
      await scene.open('/apps/1/builds/1');
      await section().getByRole('button', { name: 'Edit steps…' }).click();
      await dialog().getByText('Over already: 5%.').waitFor();
      const stepAt = (number: number) => dialog().getByRole('group', { name: `Step ${number}`, exact: true });
      expect(await stepAt(1).count()).toBe(0);
      expect(await stepAt(2).getByLabel('Percentage').getAttribute('readonly')).not.toBeNull();
      await stepAt(2).getByLabel('Lasts at least').fill('3');
      await stepAt(3).getByLabel('Percentage').fill('20');
      await dialog().getByRole('button', { name: 'Save steps' }).click();
      await dialog().getByText('The percentages must rise from step to step.').waitFor();
      await stepAt(3).getByLabel('Percentage').fill('60');
      expect(await scene.barriers()).toEqual([]);

      await ask('POST', '/apps/1/builds/1/plan/hold');
      await dialog().getByText('It is held now: step 2, with the steps 5%, 30%, 100%.').waitFor();
      await dialog().getByRole('button', { name: 'Save steps' }).click();
      await dialog().getByRole('button', { name: 'Keep my steps' }).click();
      expect((await plan(1)).steps).toEqual(steps(5, 30, 100));
      await dialog().getByRole('button', { name: 'Save steps' }).click();
      await dialog().waitFor({ state: 'detached' });
      await section().getByText('60% of devices').waitFor();
      const [first, second, third] = steps(5, 30, 60);
      const changed = [first, { ...second, hold_minutes: 180 }, third];
      expect(await plan(1)).toMatchObject({ status: 'held', step: 2, steps: changed });

      const toast = page.locator('.toast', { hasText: 'The steps of the plan of 1.0.0 in production are changed.' });
      await toast.getByRole('button', { name: 'Undo' }).click();
      await section().getByText('100% of devices').waitFor();
      expect((await plan(1)).steps).toEqual(steps(5, 30, 100));
      await page
        .getByText(/changed the steps of the rollout plan of/)
        .first()
        .waitFor();
    },
    MINUTE,
  );

  it(
    'is on the board and in the list, follows what happens elsewhere, and ends by a change of the build that says so',
    async () => {
      const { page } = scene;
      const card = page.getByRole('article', { name: '1.0.0 in production' });
      await reset();
      await scene.open('/apps/1');
      await card.getByText('Offered to all devices').waitFor();
      expect(await card.getByText('Plan running').count()).toBe(0);
      await set(1, { steps: steps(40, 100) });
      await card.getByText('Step 1 of 2, next step in 2 hours at the earliest').waitFor();
      await card.getByRole('img', { name: 'Step 1 of 2' }).waitFor();
      await card.getByRole('button', { name: 'Change rollout…' }).click();
      await dialog().getByText('Nothing changes.').waitFor();
      expect(await dialog().getByRole('button', { name: 'Apply' }).isDisabled()).toBe(true);
      expect(await dialog().getByText('The rollout plan of this build ends.').count()).toBe(0);
      await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).fill('70');
      await dialog().getByText('The rollout plan of this build ends.').waitFor();
      await dialog().getByRole('button', { name: 'Cancel' }).click();
      await dialog().waitFor({ state: 'detached' });

      await page.getByRole('button', { name: 'Actions for 1.0.0 in production' }).click();
      await page.getByRole('menuitem', { name: 'Rollout plan…' }).click();
      await dialog().getByText('This build has a rollout plan.').waitFor();
      await dialog().getByRole('button', { name: 'View plan' }).click();
      await section().getByText('Step 1 of 2, at 40% of devices.').waitFor();

      await scene.open('/apps/1/builds');
      const row = page.getByRole('row', { name: /^1\.0\.0 / });
      await row.getByText('Plan running').waitFor();
      await ask('POST', '/apps/1/builds/1/plan/hold');
      await row.getByText('Plan held').waitFor();
      expect(await scene.barriers()).toEqual([]);

      await scene.open('/apps/1');
      await card.getByText('At 40% of devices. operator held it').waitFor();
      await card.getByRole('button', { name: 'Halt rollout' }).click();
      await dialog().getByText('No more devices are offered this build.').waitFor();
      await dialog().getByText('Undo does not restore it').waitFor();
      expect((await build()).rollout_enabled).toBe(true);
      await dialog().getByRole('button', { name: 'Halt rollout' }).click();
      await page.locator('.toast', { hasText: '1.0.0 in production halted.' }).waitFor();
      await card.getByText('At 40% of devices.').waitFor({ state: 'detached' });
      await card.getByRole('link', { name: '1.0.0' }).click();
      await section().getByText('Ended at 40% of devices, because the build was changed: Rollout changed.').waitFor();
      expect((await build()).rollout_enabled).toBe(false);
    },
    MINUTE,
  );

  it(
    'that is held is a banner on the overview, and so is one that failed by reports, with its numbers on the page',
    async () => {
      const { page } = scene;
      await reset();
      await set(1, { steps: steps(50) });
      await scene.open('/apps');
      const banner = page.getByRole('complementary', { name: 'Rollout plans that need attention' });
      await page.getByText('Nothing needs attention.').waitFor();
      expect(await banner.count()).toBe(0);
      await ask('POST', '/apps/1/builds/1/plan/hold');
      await banner.getByText('1 rollout plan needs attention').waitFor();
      await banner.getByText('plan held at 50% of devices. A person held it.').waitFor();
      await page.getByRole('link', { name: '1.0.0 in production: plan held at 50%' }).waitFor();
      await ask('POST', '/apps/1/builds/1/plan/resume');
      await banner.waitFor({ state: 'detached' });

      await release(1, '1.1.0', 100);
      await set(2, { steps: steps(100), on_fail: 'halt' });
      const of = (device: number) => ({
        ...{ 'X-API-Key': key, 'X-Device-ID': `device-${device}`, 'X-Current-Version': '0.9.0', 'X-Platform': 'ios' },
        'X-Forwarded-For': `10.0.${device}.1`,
      });
      const { body } = await call<{ bundleId: string }>(`${scene.address}/api/v1/updates/check`, { headers: of(0) });
      for (let device = 0; device < 30; device += 1) {
        const status = device % 3 === 0 ? 'complete' : 'failed';
        const sent = await call(`${scene.address}/api/v1/analytics/install`, {
          method: 'POST',
          headers: { ...of(device), 'Content-Type': 'application/json' },
          body: JSON.stringify({ bundle_id: body.bundleId, status }),
        });
        expect(sent.status).toBe(200);
      }
      await banner
        .getByText(
          /plan failed at 100% of devices, and the build is stopped\. .*% of \d+ devices failed \(almost certainly at least .*%\); the limit is 2%\./,
        )
        .waitFor();
      expect(await scene.barriers()).toEqual([]);
      await banner.getByRole('link', { name: '1.1.0 in production' }).click();
      await section().getByText('At 100% of devices. A gate failed, and the build was halted.').waitFor();
      await section()
        .getByText(/^.*% of \d+ devices failed \(almost certainly at least .*%\); the limit is 2%\.$/)
        .waitFor();
      const { judged } = await plan(2);
      const figure = section().getByRole('row', { name: /^Failed or rolled back/ });
      expect(await figure.innerText()).toContain(String(judged!.failed));
      await section()
        .getByRole('row', { name: /^Failure rate, lower bound [1-9]/ })
        .waitFor();
      await section().getByText('Last verdict: Failed').waitFor();
      expect(await scene.barriers()).toEqual([]);

      // The board of the past has the numbers of that day.
      await scene.open(`/apps/1?asOf=${new Date(Date.now() - 1_000).toISOString()}`);
      const past = page.getByRole('article', { name: '1.1.0 in production' });
      await past.getByText(/^On .* \(UTC\): 10 installed, 20 failed, 0 rolled back\.$/).waitFor();

      // The build is stopped no more, so nothing is left to decide.
      await ask('PATCH', '/apps/1/builds/2/rollout', { enabled: true });
      await scene.open('/apps');
      await page.getByText('10 failed installs').or(page.getByText('20 failed installs')).waitFor();
      expect(await banner.count()).toBe(0);
    },
    MINUTE,
  );

  it(
    'can take its rules from a template',
    async () => {
      await reset();
      const [step] = steps(60);
      await ask('PUT', '/apps/1/plan-templates/careful', { steps: [step], on_fail: 'recall' });
      await scene.open('/apps/1/builds/1');
      await section().getByRole('button', { name: 'Set a plan…' }).click();
      await dialog().getByLabel('Template').selectOption('careful');
      expect(await dialog().getByLabel('Percentage').inputValue()).toBe('60');
      expect(await dialog().getByLabel('Lasts at least').inputValue()).toBe('2');
      await dialog().getByRole('button', { name: 'Set plan' }).click();
      await dialog().getByRole('button', { name: 'Close' }).last().click();
      await section().getByText('careful', { exact: true }).waitFor();
      expect(await plan(1)).toMatchObject({ template: 'careful', steps: [step], on_fail: 'recall' });
      await ask('DELETE', '/apps/1/plan-templates/careful');
    },
    MINUTE,
  );

  it(
    'shows the secret of a webhook gate once, and what the gate answers',
    async () => {
      const gate = createServer((_request, response) => {
        response.end(JSON.stringify({ verdict: 'wait', reason: '2 of 3 dashboards are green.' }));
      }).listen(0, '127.0.0.1');
      await once(gate, 'listening');
      const url = `http://127.0.0.1:${(gate.address() as AddressInfo).port}/`;
      try {
        await reset();
        await scene.open('/apps/1/builds/1');
        await section().getByRole('button', { name: 'Set a plan…' }).click();
        await dialog().getByText('Thresholds, webhook gate').click();
        await dialog().getByLabel('Webhook gate').fill('http://gate.example.com/');
        await dialog().getByRole('button', { name: 'Set plan' }).click();
        await dialog().getByText('gate.example.com must be asked over https').waitFor();
        await dialog().getByLabel('Webhook gate').fill(url);
        await dialog().getByRole('button', { name: 'Set plan' }).click();
        await dialog()
          .getByText(/^whsec_/)
          .waitFor();
        await dialog()
          .getByText(/^The devices of .* are too few/)
          .waitFor();
        expect(await scene.barriers()).toEqual([]);
        await dialog().getByRole('button', { name: 'I have copied it' }).click();
        await dialog().waitFor({ state: 'detached' });
        await section().getByText(url).waitFor();
        await eventually(async () => (await plan(1)).webhook_answer !== null);
        await scene.open('/apps/1/builds/1');
        await section().getByText('2 of 3 dashboards are green.').waitFor();
        expect(await scene.barriers()).toEqual([]);
        await ask('DELETE', '/apps/1/builds/1/plan');
      } finally {
        gate.close();
      }
    },
    MINUTE,
  );

  it(
    'is proposed by the default of a channel, and comes with a promotion',
    async () => {
      const { page } = scene;
      await reset();
      await ask('PUT', '/apps/1/plan-templates/careful', { steps: steps(5, 100) });
      await ask('PATCH', '/apps/1', { default_rollout: { staging: 'careful', development: 40 } });
      await scene.open('/apps/1/builds/1');
      await page.getByRole('button', { name: 'Actions for 1.0.0 in production' }).click();
      await page.getByRole('menuitem', { name: /^Promote/ }).click();
      const template = dialog().getByLabel('Rollout plan');
      await dialog().getByText('The default of the app for staging.').waitFor();
      expect(await template.inputValue()).toBe('careful');
      expect(await scene.barriers()).toEqual([]);
      await dialog().getByLabel('Target channel').selectOption('development');
      await dialog().getByText('The default of the app for development.').waitFor();
      expect(await dialog().getByRole('spinbutton', { name: 'Rollout percentage' }).inputValue()).toBe('40');
      await dialog().getByLabel('Target channel').selectOption('staging');
      await dialog().getByText('The default of the app for staging.').waitFor();
      await dialog().getByRole('button', { name: 'Promote to staging' }).click();
      await dialog().waitFor({ state: 'detached' });
      const [promoted] = await ask<Build[]>('GET', '/apps/1/builds?channel=staging');
      expect(promoted).toMatchObject({ status: 'active', rollout_percentage: 5 });
      expect(await plan(promoted!.id)).toMatchObject({ status: 'running', step: 1, template: 'careful' });
    },
    MINUTE,
  );

  it(
    'has the health of the builds of previews, too',
    async () => {
      const { page } = scene;
      const expires_at = new Date(Date.now() + 3 * 24 * 60 * MINUTE).toISOString();
      await ask('POST', '/apps/1/channels', { name: 'pr-7', expires_at });
      await ask('POST', '/apps/1/builds/1/promote', { target_channel: 'pr-7' });
      const made = await ask<{ plaintext_key: string }>('POST', '/apps/1/channels/pr-7/keys', { name: 'preview' });
      const headers = {
        ...{
          'X-API-Key': made.plaintext_key,
          'X-Device-ID': 'tester',
          'X-Current-Version': '0.9.0',
          'X-Platform': 'ios',
        },
        'Content-Type': 'application/json',
      };
      const { body } = await call<{ bundleId: string }>(`${scene.address}/api/v1/updates/check`, { headers });
      const report = JSON.stringify({ bundle_id: body.bundleId, status: 'complete' });
      await call(`${scene.address}/api/v1/analytics/install`, { method: 'POST', headers, body: report });
      await scene.open('/apps/1');
      const row = page.getByRole('region', { name: 'Previews', exact: true }).getByRole('row', { name: /^pr-7 / });
      await row.getByText('0 of 1 device that tried it failed (0%). These are too few to judge it.').waitFor();
    },
    MINUTE,
  );

  it(
    'fits a window at 200% zoom and a narrow one, as the other screens of an app do',
    async () => {
      await reset();
      await set(1, { steps: steps(5, 10, 20, 30, 40, 50, 100) });
      const page = await scene.newPage({ width: 320, height: 400 });
      await scene.signIn(page);
      for (const path of ['', '/builds/1', '/adoption', '/devices', '/history', '/api-keys']) {
        await scene.open(`/apps/1${path}`, page);
        const widths = [320, 640].map((width) => async () => {
          await page.setViewportSize({ width, height: 400 });
          return scene.excess(page);
        });
        await page.waitForFunction(() => document.querySelector('.loading') === null);
        for (const excess of widths) expect([path, await excess()]).toEqual([path, 0]);
      }
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
      expect(await scene.excess(page)).toBe(0);
      await page.context().close();
    },
    MINUTE,
  );

  it(
    'fits a phone, and can be set by keys alone',
    async () => {
      await reset();
      await set(1, { steps: steps(50) });
      const phone = await scene.newPage({ width: 390, height: 844, touch: true });
      await scene.signIn(phone);
      await scene.open('/apps/1/builds/1', phone);
      const button = section(phone).getByRole('button', { name: 'Hold…' });
      await button.waitFor();
      expect(await scene.excess(phone)).toBe(0);
      const list = section(phone).getByRole('list', { name: 'Steps', exact: true });
      expect(await list.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      await button.focus();
      await phone.keyboard.press('Enter');
      await phone.locator('.dialog').getByText('The build keeps its rollout of 50%.').waitFor();
      await phone.keyboard.press('Escape');
      await phone.locator('.dialog').waitFor({ state: 'detached' });
      expect(await button.evaluate((element) => element === document.activeElement)).toBe(true);

      await ask('DELETE', '/apps/1/builds/1/plan');
      await section(phone).getByRole('button', { name: 'Set a plan…' }).click();
      const form = phone.locator('.dialog');
      await form.getByText('Thresholds, webhook gate').click();
      await form.getByRole('button', { name: 'Add a time window' }).click();
      expect(await form.evaluate((element) => element.scrollWidth - element.clientWidth)).toBe(0);
      expect(await scene.barriers(phone)).toEqual([]);
      await phone.context().close();
    },
    MINUTE,
  );
});
