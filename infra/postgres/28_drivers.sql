-- Which drivers there are is known to the code (shared/contracts/src/operations/drivers.ts), so that a new one needs no migration.
alter table servers drop constraint servers_driver_check;
alter table servers add constraint servers_driver_check check (driver ~ '^[a-z][a-z0-9]{1,19}$');
