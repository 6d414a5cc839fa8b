// Makes one user per service, which may read and write the databases that the service needs and nothing else: both, but
// for the gateway, which has no views. Safe to run again.
// MongoDB's image runs it on its first start; mongosh runs it on a server that has data already.
const admin = db.getSiblingDB('admin');
for (const service of ['gateway', 'registry', 'build-pipeline', 'device-updates', 'keys', 'merchant-sync']) {
  const databases = service === 'gateway' ? ['sluice_state'] : ['sluice_state', 'sluice_read'];
  const roles = databases.map((db) => ({ role: 'readWrite', db }));
  const pwd = process.env[`MONGO_${service.toUpperCase().replace('-', '_')}_PASSWORD`];
  if (admin.getUser(service) === null) admin.createUser({ user: service, pwd, roles });
  else admin.updateUser(service, { pwd, roles });
}
