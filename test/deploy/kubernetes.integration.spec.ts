import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { BlockList } from 'node:net';
import { join } from 'node:path';
import { SERVICES } from '@sluice/contracts';
import { temporaryDirectory } from '@sluice/testing';
import { parseAllDocuments } from 'yaml';
import { STREAM_DESCRIPTION } from '../../services/gateway/live/event-streams';
import { readSettings } from '../../services/config/settings';
import { credentialsOf, expectedSealKeys, NEEDS, ROOT } from './made-secrets';
import { type KubernetesObject, type Labels, RENDERINGS } from './renderings';

interface Probe {
  readonly httpGet?: { readonly path: string };
  readonly periodSeconds?: number;
}
interface Egress {
  readonly to: readonly {
    readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
    readonly namespaceSelector?: unknown;
  }[];
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly envFrom?: readonly { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  readonly env?: readonly {
    name: string;
    value?: string;
    valueFrom?: { secretKeyRef: { name: string; key: string } };
  }[];
  readonly securityContext: unknown;
  readonly resources: {
    readonly requests: { readonly cpu: string; readonly memory: string };
    readonly limits: { readonly memory: string };
  };
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
}
interface PodTemplate {
  readonly metadata: { readonly labels: Labels };
  readonly spec: {
    readonly automountServiceAccountToken: boolean;
    readonly serviceAccountName?: string;
    readonly terminationGracePeriodSeconds: number;
    readonly securityContext: unknown;
    readonly containers: readonly Container[];
    readonly topologySpreadConstraints?: readonly { readonly labelSelector: { readonly matchLabels: Labels } }[];
  };
}
interface Workload extends KubernetesObject {
  readonly spec: {
    readonly selector: { readonly matchLabels: Labels };
    readonly strategy?: unknown;
    readonly replicas?: number;
    readonly template: PodTemplate;
  };
}

/** What an operator's own secrets say. */
const OUTSIDE = { MASTER_KEY: '0'.repeat(64), OBJECT_STORE_URL: 's3://KEY:SECRET@objects.internal/sluice' };

function add(list: BlockList, cidr: string): void {
  const [address = '', prefix] = cidr.split('/');
  list.addSubnet(address, Number(prefix), address.includes(':') ? 'ipv6' : 'ipv4');
}

for (const { title, inside, missing, guide, prepare, render } of RENDERINGS) {
  const suite = missing === undefined ? describe : describe.skip;
  suite(missing === undefined ? title : `${title} (no ${missing})`, () => {
    let folder: string;
    let objects: readonly KubernetesObject[];

    beforeAll(async () => {
      folder = temporaryDirectory();
      await prepare(folder);
      objects = render(folder);
    });

    const ofKind = (kind: string) => objects.filter((object) => object.kind === kind);
    const named = (kind: string, name: string) => ofKind(kind).find(({ metadata }) => metadata.name === name);
    const workloads = () => [...ofKind('Deployment'), ...ofKind('StatefulSet')] as Workload[];
    const services = () => ofKind('Deployment') as Workload[];
    const settings = () => {
      const reference = services()[0]!.spec.template.spec.containers[0]!.envFrom![0]!.configMapRef!.name;
      return named('ConfigMap', reference)!.data!;
    };
    const selected = (labels: Labels) =>
      workloads().filter(({ spec }) =>
        Object.entries(labels).every(([name, value]) => spec.template.metadata.labels[name] === value),
      );

    it('holds objects that Kubernetes knows', async () => {
      for (const object of objects) {
        const models = (await import(`kubernetes-models/${object.apiVersion}/${object.kind}`)) as Record<
          string,
          new (data: unknown) => { validate(): void }
        >;
        const Model = models[object.kind]!;
        expect(() => new Model(object).validate()).not.toThrow();
        expect(() => new Model({ ...object, metadata: 'none' }).validate()).toThrow();
        expect(object.kind === 'Namespace' || object.metadata.namespace === 'sluice').toBe(true);
      }
    });

    it('runs the six services, each by its own main', () => {
      expect(services().map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining([...SERVICES]));
      for (const { metadata, spec } of services()) {
        expect(spec.template.spec.containers[0]!.args).toEqual([`dist/services/${metadata.name}/main.js`]);
        expect(existsSync(join(ROOT, `services/${metadata.name}/main.ts`))).toBe(true);
        // Where there is one of each on a small node, the former pod makes room first.
        const rollingUpdate = inside ? { maxUnavailable: 1, maxSurge: 0 } : { maxUnavailable: 0, maxSurge: 1 };
        expect(spec.strategy).toMatchObject({ rollingUpdate });
      }
    });

    it('lets no pod do more than it needs', () => {
      for (const { spec } of workloads()) {
        const pod = spec.template.spec;
        expect(pod.automountServiceAccountToken).toBe(false);
        expect(pod.securityContext).toMatchObject({
          runAsNonRoot: true,
          seccompProfile: { type: 'RuntimeDefault' },
        });
        for (const container of pod.containers) {
          expect(container.securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(container.resources.limits.memory).toMatch(/^\d+[MG]i$/);
          expect(container.image).toMatch(/:[^:/]+$/);
          expect(container.image).not.toMatch(/:latest$/);
        }
      }
      for (const { metadata, spec } of services()) {
        const account = spec.template.spec.serviceAccountName!;
        expect(account).toBe(metadata.name);
        expect(named('ServiceAccount', account)).toMatchObject({ automountServiceAccountToken: false });
      }
    });

    it('probes every pod', () => {
      for (const { spec } of workloads()) {
        for (const { startupProbe, readinessProbe, livenessProbe } of spec.template.spec.containers) {
          for (const probe of [startupProbe, readinessProbe, livenessProbe]) {
            expect(probe.periodSeconds).toBeGreaterThan(0);
          }
        }
      }
      for (const { spec } of services()) {
        const { readinessProbe, livenessProbe } = spec.template.spec.containers[0]!;
        expect(readinessProbe.httpGet?.path).toBe('/health/ready');
        // An unavailable engine is no reason for a restart.
        expect(livenessProbe.httpGet?.path).toBe('/health/live');
      }
    });

    it('gives a stopping pod the time that it takes', () => {
      const { stopGraceMs } = readSettings({ ...settings(), ...OUTSIDE });
      for (const { spec } of services()) {
        const pause = Number(spec.template.spec.containers[0]!.lifecycle!.preStop.exec.command[1]);
        expect(spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(pause + stopGraceMs / 1_000);
      }
    });

    it('selects what is there', () => {
      for (const { spec } of workloads()) {
        expect(selected(spec.selector.matchLabels)).toHaveLength(1);
        for (const { labelSelector } of spec.template.spec.topologySpreadConstraints ?? []) {
          expect(selected(labelSelector.matchLabels)).toHaveLength(1);
        }
      }
      for (const { spec } of ofKind('Service') as { spec: { selector: Labels } }[]) {
        expect(selected(spec.selector)).toHaveLength(1);
      }
      for (const { spec } of ofKind('PodDisruptionBudget') as { spec: { selector: { matchLabels: Labels } } }[]) {
        expect(selected(spec.selector.matchLabels)).toHaveLength(1);
      }
      for (const { spec } of ofKind('HorizontalPodAutoscaler') as { spec: { scaleTargetRef: { name: string } } }[]) {
        expect(named('Deployment', spec.scaleTargetRef.name)).toMatchObject({ kind: 'Deployment' });
      }
      expect(ofKind('PodDisruptionBudget')).toHaveLength(SERVICES.length);
      expect(ofKind('HorizontalPodAutoscaler')).toHaveLength(inside ? 0 : 2);
    });

    it('sends devices to device-updates and all else to the gateway', () => {
      const [{ spec }] = ofKind('Ingress') as unknown as [
        {
          spec: { rules: [{ http: { paths: { path: string; backend: { service: { name: string } } }[] } }] };
        },
      ];
      const target = (path: string) =>
        spec.rules[0].http.paths
          .filter((rule) => path === rule.path || path.startsWith(`${rule.path}/`))
          .sort((a, b) => b.path.length - a.path.length)[0]?.backend.service.name;
      for (const path of [
        '/api/v1/updates/check',
        '/api/v1/bundles/7/download',
        '/api/health',
        '/compat/capgo/key/updates',
        '/files/capability/hash',
      ]) {
        expect([path, target(path)]).toEqual([path, 'device-updates']);
      }
      for (const path of ['/api/public/v1/apps', '/api/dashboard/v1/tokens', '/svc/v1/x', '/openapi/device.json']) {
        expect([path, target(path)]).toEqual([path, 'gateway']);
      }
      for (const path of ['/docs', '/', '/console', '/console/assets/index.js']) {
        expect([path, target(path)]).toEqual([path, 'gateway']);
      }
      expect(['/metrics', '/health/ready'].map(target)).toEqual([undefined, undefined]);
    });

    it('leads to the listings plane where PLUGIN_NAMESPACE says', () => {
      type Paths = { spec: { rules: [{ http: { paths: { path: string }[] } }] } };
      const moved = render(folder, { PLUGIN_NAMESPACE: 'shop' }).find(({ kind }) => kind === 'Ingress');
      const paths = (moved as unknown as Paths).spec.rules[0].http.paths.map(({ path }) => path);
      expect(paths.filter((path) => /^\/(?:svc|shop)\//.test(path))).toEqual(['/shop/v1']);
    });

    it('denies every connection that no policy names', () => {
      expect(named('NetworkPolicy', 'default-deny')!.spec).toEqual({
        podSelector: {},
        policyTypes: ['Ingress', 'Egress'],
      });
      type Policy = { spec: { podSelector: { matchLabels?: Labels }; policyTypes: string[]; ingress?: unknown[] } };
      const clients = named('NetworkPolicy', 'clients') as unknown as Policy;
      expect(clients.spec.ingress).toHaveLength(1);
      for (const { spec } of ofKind('NetworkPolicy') as unknown as Policy[]) {
        if (spec.podSelector.matchLabels) expect(selected(spec.podSelector.matchLabels).length).toBeGreaterThan(0);
      }
    });

    it('lets monitoring alone reach the metrics, and nothing else', () => {
      type Policy = {
        spec: { ingress: { from: { namespaceSelector: { matchLabels: Labels } }[]; ports: object[] }[] };
      };
      const [rule] = (named('NetworkPolicy', 'monitoring') as unknown as Policy).spec.ingress;
      const monitoring = { 'kubernetes.io/metadata.name': 'monitoring' };
      expect(rule!.from).toEqual([{ namespaceSelector: { matchLabels: monitoring } }]);
      expect(rule!.ports).toEqual([{ protocol: 'TCP', port: 'metrics' }]);
      const { metricsHost, metricsPort } = readSettings({ ...settings(), ...OUTSIDE });
      expect(metricsHost).toBe('0.0.0.0');
      for (const { spec } of services()) {
        const { metadata, spec: pod } = spec.template as unknown as {
          metadata: { annotations: Labels };
          spec: { containers: { ports: { name: string; containerPort: number }[] }[] };
        };
        const { ports } = pod.containers[0]!;
        expect(ports.find(({ name }) => name === 'metrics')?.containerPort).toBe(metricsPort);
        expect(metadata.annotations['prometheus.io/port']).toBe(String(metricsPort));
      }
      const clients = named('NetworkPolicy', 'clients') as unknown as Policy;
      expect(clients.spec.ingress[0]!.ports).toEqual([{ protocol: 'TCP', port: 'http' }]);
    });

    it('lets names be looked up, also where each node answers for itself', () => {
      const { egress } = (named('NetworkPolicy', 'names') as unknown as { spec: { egress: Egress[] } }).spec;
      expect(egress).toHaveLength(1);
      expect(egress[0]!.to.flatMap(({ ipBlock }) => ipBlock?.cidr ?? [])).toEqual(['169.254.20.10/32']);
      expect(egress[0]!.to.some(({ namespaceSelector }) => namespaceSelector !== undefined)).toBe(true);
    });

    it('lets merchant-sync connect to shops over IPv4 and IPv6, and to no private network', () => {
      const { egress } = (named('NetworkPolicy', 'merchant-sync') as unknown as { spec: { egress: Egress[] } }).spec;
      const blocks = egress.flatMap(({ to }) => to.flatMap(({ ipBlock }) => ipBlock ?? []));
      expect(blocks.map(({ cidr }) => cidr)).toEqual(['0.0.0.0/0', '::/0']);
      const kept = new BlockList();
      for (const block of blocks.flatMap(({ except = [] }) => except)) add(kept, block);
      for (const address of ['10.1.2.3', '172.20.0.1', '192.168.7.7', '100.64.3.2', '169.254.169.254', 'fd00::1']) {
        expect([address, kept.check(address, address.includes(':') ? 'ipv6' : 'ipv4')]).toEqual([address, true]);
      }
      expect(kept.check('2001:db8::1', 'ipv6') || kept.check('8.8.8.8')).toBe(false);
    });

    it('hands on what comes in pieces as it comes, and waits longer than an event stream is silent', () => {
      const [{ metadata }] = ofKind('Ingress') as unknown as [{ metadata: { annotations: Labels } }];
      const nginx = (name: string) => metadata.annotations[`nginx.ingress.kubernetes.io/${name}`];
      expect([nginx('proxy-buffering'), nginx('proxy-request-buffering')]).toEqual(['off', 'off']);
      const [, seconds] = /A comment comes every (\d+) s/.exec(STREAM_DESCRIPTION)!;
      expect(Number(nginx('proxy-read-timeout'))).toBeGreaterThan(2 * Number(seconds));
      const { maxBundleBytes, maxKeystoreBytes, slowRequestMs, slowResponseMs } = readSettings({
        ...settings(),
        ...OUTSIDE,
      });
      for (const seconds of [nginx('proxy-read-timeout'), nginx('proxy-send-timeout')]) {
        expect(Number(seconds) * 1_000).toBeGreaterThan(Math.max(slowRequestMs, slowResponseMs));
      }
      expect(Number(nginx('proxy-body-size')!.replace('m', '')) * 1_048_576).toBeGreaterThan(
        Math.max(maxBundleBytes, maxKeystoreBytes),
      );
    });

    it('gives every service settings that it starts with, and secrets by reference', () => {
      for (const { metadata, spec } of services()) {
        const references = spec.template.spec.containers[0]!.envFrom!;
        expect(references[0]!.configMapRef).toBeDefined();
        const secrets = references.flatMap(({ secretRef }) => secretRef?.name.replace(/-[a-z0-9]{10}$/, '') ?? []);
        expect(secrets).toEqual([`sluice-${metadata.name}`]);
      }
      const valuesOf = (secret: string) => {
        const { data = {} } = ofKind('Secret').find(({ metadata }) => metadata.name.startsWith(secret)) ?? {};
        return Object.fromEntries(
          Object.entries(data).map(([name, value]) => [name, Buffer.from(value, 'base64').toString()]),
        );
      };
      const made: Record<string, string> = inside ? valuesOf('sluice-keys') : OUTSIDE;
      expect(valuesOf('sluice-registry')['OWNER_KEY'] !== undefined).toBe(inside);
      expect(made['OWNER_KEY']).toBeUndefined();
      const known = readSettings({ ...settings(), ...made });
      expect(known).toMatchObject({ host: '0.0.0.0', port: 8080, masterKey: made['MASTER_KEY'] });
      expect(known.trustedProxies).not.toEqual([]);
      expect(JSON.stringify(settings())).not.toMatch(/KEY|SECRET|PASSWORD/);
      if (!inside) expect(ofKind('Secret')).toEqual([]);
    });

    it('gives every service the engines that it declares, and no credentials of others', () => {
      if (!inside) {
        const { spec } = named('NetworkPolicy', 'object-store') as unknown as {
          spec: { podSelector: { matchExpressions: [{ values: string[] }] } };
        };
        const storing = SERVICES.filter((name) => name !== 'merchant-sync' && NEEDS[name]!.includes('objects'));
        expect(spec.podSelector.matchExpressions[0].values.sort()).toEqual(storing.sort());
        return;
      }
      const secretOf = (name: string) =>
        ofKind('Secret').find(({ metadata }) => new RegExp(`^sluice-${name}(?:-[a-z0-9]{10})?$`).test(metadata.name))!
          .data!;
      for (const name of SERVICES) {
        const given = Object.keys(secretOf(name)).filter((setting) => setting !== 'OWNER_KEY');
        expect([name, given.sort()]).toEqual([name, credentialsOf(name)]);
      }
      const text = (value = '') => Buffer.from(value, 'base64').toString();
      const sealKeys = expectedSealKeys(text(secretOf('keys')['MASTER_KEY']));
      for (const [name, expected] of Object.entries(sealKeys)) {
        expect([name, text(secretOf(name)['SEAL_KEYS'])]).toEqual([name, expected]);
      }
    });

    it('limits each address above what Sluice itself allows it', () => {
      const [{ metadata }] = ofKind('Ingress') as unknown as [{ metadata: { annotations: Labels } }];
      const nginx = (name: string) => Number(metadata.annotations[`nginx.ingress.kubernetes.io/${name}`]);
      const { limitAddressPerMinute, limitDownloadsPerAddress } = readSettings({ ...settings(), ...OUTSIDE });
      expect(nginx('limit-rps') * 60).toBeGreaterThan(limitAddressPerMinute);
      expect(nginx('limit-connections')).toBeGreaterThan(limitDownloadsPerAddress);
    });

    const itInside = inside ? it : it.skip;
    itInside('names in responses the addresses that its guide forwards', async () => {
      const top = await readFile(join(ROOT, guide), 'utf8');
      const forwards = [...top.matchAll(/port-forward service\/(\S+) (\d+):80/g)];
      expect(forwards.map(([, name]) => name)).toEqual(['gateway', 'device-updates']);
      for (const [, name, port] of forwards) {
        const { env = [] } = (named('Deployment', name!) as Workload).spec.template.spec.containers[0]!;
        const own = Object.fromEntries(env.map((variable) => [variable.name, variable.value]));
        expect(readSettings({ ...settings(), ...own, ...OUTSIDE }).publicUrl).toBe(`http://127.0.0.1:${port}`);
      }
    });

    itInside('fits on a node with 2 CPUs and 4 GiB, half of them for Kubernetes, also during a rollout', () => {
      const sum = (pick: (container: Container) => number) =>
        workloads()
          .map(({ spec }) => {
            const { rollingUpdate } = (spec.strategy ?? {}) as { rollingUpdate?: { maxSurge: number } };
            const pods = (spec.replicas ?? 1) + (rollingUpdate?.maxSurge ?? 0);
            return pods * spec.template.spec.containers.map(pick).reduce((a, b) => a + b, 0);
          })
          .reduce((a, b) => a + b, 0);
      expect(sum(({ resources }) => Number(/^(\d+)m$/.exec(resources.requests.cpu)![1]))).toBeLessThanOrEqual(1_000);
      expect(sum(({ resources }) => Number(/^(\d+)Mi$/.exec(resources.requests.memory)![1]))).toBeLessThanOrEqual(
        3_072,
      );
    });

    itInside('keeps on disks what has to outlast a pod, and nothing of NATS', () => {
      const kept = (ofKind('StatefulSet') as unknown as { metadata: { name: string }; spec: object }[])
        .filter(({ spec }) => 'volumeClaimTemplates' in spec)
        .map(({ metadata }) => metadata.name);
      expect(kept.sort()).toEqual(['eventstore', 'minio', 'mongo']);
    });

    const itOutside = inside ? it.skip : it;
    itOutside('reaches engines outside of the cluster in whatever private network they are', () => {
      const { egress } = (named('NetworkPolicy', 'engines') as unknown as { spec: { egress: Egress[] } }).spec;
      const reached = new BlockList();
      for (const { ipBlock } of egress[0]!.to) {
        add(reached, ipBlock!.cidr);
      }
      for (const address of ['10.1.2.3', '172.20.0.1', '192.168.7.7', '100.64.3.2']) {
        expect([address, reached.check(address)]).toEqual([address, true]);
      }
      expect(reached.check('fd00::1', 'ipv6')).toBe(true);
      for (const address of ['169.254.169.254', '8.8.8.8'])
        expect([address, reached.check(address)]).toEqual([address, false]);
    });

    itOutside('makes the namespace before the secrets in it', async () => {
      const top = await readFile(join(ROOT, guide), 'utf8');
      const [, file = ''] = /^(?:# +)?kubectl apply -f (\S+)$/m.exec(top) ?? [];
      expect(top.indexOf(file)).toBeLessThan(top.indexOf('kubectl -n sluice create secret'));
      const namespace = parseAllDocuments(await readFile(join(ROOT, file), 'utf8'))[0]!.toJS() as KubernetesObject;
      expect(namespace).toMatchObject({ kind: 'Namespace', metadata: { name: 'sluice' } });
    });

    itOutside('keeps merchant-sync from web servers in private networks', () => {
      type Rule = { readonly to: Egress['to']; readonly ports: readonly { port: number }[] };
      type Selector = { matchLabels?: Labels; matchExpressions?: [{ key: string; values: string[] }] };
      const policies = ofKind('NetworkPolicy') as unknown as {
        spec: { podSelector: Selector; egress?: readonly Rule[] };
      }[];
      const own = policies.filter(({ spec: { podSelector } }) => {
        const name = podSelector.matchLabels?.['app.kubernetes.io/name'] ?? 'merchant-sync';
        const listed = podSelector.matchExpressions?.[0].values ?? ['merchant-sync'];
        return name === 'merchant-sync' && listed.includes('merchant-sync');
      });
      const https = own.flatMap(({ spec: { egress = [] } }) =>
        egress.filter(({ ports }) => ports.some(({ port }) => port === 443)),
      );
      expect(https.length).toBeGreaterThan(0);
      for (const { ipBlock } of https.flatMap(({ to }) => to)) expect(ipBlock?.except).toBeDefined();
    });
  });
}
