//! The options of a question, as an agent gives them.

use std::collections::HashMap;

use super::{AskError, AskOption, check_length, clean};
use crate::agent::AskedOption;

pub(super) const MOST: usize = 50;
const LONGEST: usize = 2 * 1024;

pub(super) fn read(given: &[AskOption]) -> Result<Vec<AskedOption>, AskError> {
    if given.len() > MOST {
        return Err(AskError::Options(given.len()));
    }
    let options = given.iter().map(option).collect::<Result<Vec<_>, _>>()?;
    if let Some(name) = alike(&options) {
        return Err(AskError::Alike(name.to_owned()));
    }
    match misnumbered(&options) {
        Some(name) => Err(AskError::Misnumbered(name.to_owned())),
        None => Ok(options),
    }
}

/// An option that is called like the number of another: people answer with numbers, too.
fn misnumbered(options: &[AskedOption]) -> Option<&str> {
    let is_other = |index: usize, name: &str| {
        name.trim().parse::<usize>().is_ok_and(|number| number != index + 1 && (1..=options.len()).contains(&number))
    };
    options.iter().enumerate().find_map(|(index, option)| names(option).find(|name| is_other(index, name)))
}

fn names(option: &AskedOption) -> impl Iterator<Item = &str> {
    [Some(option.label.as_str()), option.value.as_deref(), option.id.as_deref()].into_iter().flatten()
}

/// A name that two options have, whatever it is to each. A person sees labels and the agent gets values: without this an
/// agent could call "keep" what deletes.
fn alike(options: &[AskedOption]) -> Option<&str> {
    let mut seen: HashMap<String, usize> = HashMap::new();
    options
        .iter()
        .enumerate()
        .find_map(|(index, option)| names(option).find(|name| *seen.entry(plainly(name)).or_insert(index) != index))
}

/// `true` answers what is called yes, and `false` no.
fn plainly(name: &str) -> String {
    match name.trim().to_lowercase().as_str() {
        "true" => "yes".to_owned(),
        "false" => "no".to_owned(),
        name => name.to_owned(),
    }
}

fn option(given: &AskOption) -> Result<AskedOption, AskError> {
    let option = match given {
        AskOption::Label(label) => AskedOption::of(&clean(label)),
        AskOption::Full { id, label, value, description, implications, recommended } => {
            let described = [description, implications].into_iter().flatten().map(String::as_str);
            AskedOption {
                id: id.as_deref().map(clean),
                label: clean(label),
                value: value.as_ref().map(|value| value.as_str().map_or_else(|| value.to_string(), clean)),
                description: clean(&described.collect::<Vec<_>>().join("; ")),
                recommended: *recommended,
            }
        }
    };
    check_length("id of an option", option.id.as_deref().unwrap_or_default(), LONGEST)?;
    check_length("label of an option", &option.label, LONGEST)?;
    check_length("description of an option", &option.description, LONGEST)?;
    Ok(option)
}
