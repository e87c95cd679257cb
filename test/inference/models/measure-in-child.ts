import { measureDevices } from '../../../src/inference/models/measure-devices.ts';

/** In a process of its own, because a driver of this machine may end it. */
process.stdout.write(JSON.stringify(await measureDevices()));
