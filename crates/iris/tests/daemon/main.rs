//! The daemon as a whole: the real binary, real agents as processes, real databases, and the faults it promises to
//! survive. Each fault is one file.

mod agent;
mod ask;
mod clock;
mod contain;
mod crash;
mod disk;
mod doors;
mod figures;
mod patience;
mod pool;
mod postgres;
mod race;
mod reconfigure;
mod shim;
mod world;
